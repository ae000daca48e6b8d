// The primitives in plain TypeScript: for comparison with the WebAssembly module, for Node without WebAssembly, and for
// HMACs of long messages.
import { unsafe } from '@noble/ciphers/aes.js'
import { createHash, createHmac, createSecretKey } from 'node:crypto'
import {
  adStateOf,
  blockOf,
  expandSivKey,
  openInPlace,
  sealInPlace,
  wipeSivKey,
} from './aes-siv.ts'
import type { SivKey } from './aes-siv.ts'
import type { LevelOf, Lengths, Primitives, Siv, Workspace } from './types.ts'
import { adAt, workspaceBytes } from './workspace.ts'

const siv = plainSiv()

const macKey: Primitives['macKey'] = (hash, key) => {
  const secret = createSecretKey(key)
  return { mac: (message) => createHmac(hash, secret).update(message).digest() }
}

const walk: Primitives['walk'] = (node, digits) => {
  let reached = new Uint8Array(node)
  for (const digit of digits)
    reached = new Uint8Array(
      createHash('sha256')
        .update(reached)
        .update(Buffer.of(Number(digit)))
        .digest(),
    )
  return reached
}

export const plainPrimitives: Primitives = {
  macKey,
  walk,
  levelKey(key) {
    const { mac } = macKey('sha512', key)
    const sivKey = ({ node, digits, tail }: LevelOf) =>
      mac(Buffer.concat([walk(node, digits), tail]))
    return { sivKey, cipher: (of) => siv.add(sivKey(of)) }
  },
  encryptor(key) {
    const schedule = unsafe.expandKeyLE(key)
    return (block) => {
      const view = new DataView(block.buffer, block.byteOffset, block.length)
      const word = (at: number): number => view.getInt32(at, true)
      const words = unsafe.encrypt(schedule, word(0), word(4), word(8), word(12))
      return blockOf(words)
    }
  },
  siv,
}

function plainSiv(): Siv {
  const keys = new Map<number, SivKey>()
  const workspace = createWorkspace()
  let added = 0
  const keyOf = (cipher: number): SivKey => {
    const key = keys.get(cipher)
    if (key === undefined) throw new RangeError('there is no such cipher')
    return key
  }
  const adOf = (key: SivKey, { length, adLength }: Lengths) => {
    const at = adAt(length)
    return adStateOf(key, [workspace.for(0).bytes.subarray(at, at + adLength)])
  }
  return {
    workspaceFor: workspace.for,
    add(key) {
      keys.set(++added, expandSivKey(key))
      key.fill(0)
      return added
    },
    seal(cipher, lengths) {
      const key = keyOf(cipher)
      sealInPlace(key, adOf(key, lengths), workspace.for(0), lengths.length)
    },
    open(cipher, lengths) {
      const key = keyOf(cipher)
      return openInPlace(key, adOf(key, lengths), workspace.for(0), lengths.length)
    },
    wipe(cipher) {
      wipeSivKey(keyOf(cipher))
      keys.delete(cipher)
    },
  }
}

/** Keeps one workspace, and replaces it with a larger one when it is too small. */
function createWorkspace() {
  let workspace = workspaceOf(workspaceBytes(0))
  return {
    for(bytes: number): Workspace {
      const size = workspaceBytes(bytes)
      if (size > workspace.bytes.length) workspace = workspaceOf(size)
      return workspace
    },
  }
}

function workspaceOf(size: number): Workspace {
  const buffer = new ArrayBuffer(size)
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) }
}

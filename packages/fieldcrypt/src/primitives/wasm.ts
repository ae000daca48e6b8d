// The primitives with the WebAssembly module of packages/fieldcrypt/wasm. One call computes a whole path, HMAC or
// field. After each call, everything in the module's memory that depends on a key is overwritten, except ciphers and
// workspaces.
import { plainPrimitives } from './plain.ts'
import type { LevelKey, LevelOf, MacHash, MacKey, Primitives, Siv, Workspace } from './types.ts'
import { wasmBytes } from './wasm-bytes.ts'
import { adAt, DATA_AT, workspaceBytes } from './workspace.ts'

const NODE_BYTES = 32
const PAGE_BYTES = 65_536
/** Node hashes longer messages. */
const MESSAGE_BYTES_MAX = 3_900
const macBytes: Readonly<Record<MacHash, number>> = { sha256: 32, sha512: 64 }
/**
 * An HMAC writes less padding than this after its message in IO, and later fewer bytes than this for the inner hash.
 */
const PADDING_BYTES_MAX = 145

/** The exports of wasm/module. Globals are addresses, except CIPHER_BYTES. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly IO: { readonly value: number }
  readonly KEY: { readonly value: number }
  readonly OUT: { readonly value: number }
  readonly CIPHER_BYTES: { readonly value: number }
  key256(): void
  key512(): void
  mac256(length: number): void
  mac512(length: number): void
  walk(count: number): void
  addCipher(cipher: number): void
  levelCipher(cipher: number, count: number, tail: number): void
  levelKey(count: number, tail: number): void
  encryptBlock(): void
  wipeCipher(cipher: number): void
  seal(cipher: number, data: number, length: number, ad: number, adLength: number): void
  open(cipher: number, data: number, length: number, ad: number, adLength: number): number
  wipe(used: number): void
}

/** TypeScript has these types only in its library for browsers. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (module: object) => { readonly exports: Exports }
    }
  | undefined

/** Returns undefined if this Node runs without WebAssembly, as with `--jitless`. */
export function newInstance(): Exports | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  const module = new WebAssembly.Module(Buffer.from(wasmBytes, 'base64'))
  return new WebAssembly.Instance(module).exports
}

/** An instance must have only one user, because its memory is for one call at a time. */
export function wasmPrimitives(wasm: Exports): Primitives {
  const memory = createMemory(wasm)
  const ciphers = createCiphers(memory, wasm)
  return {
    macKey: (hash, secret) => wasmMacKey(wasm, memory, hash, secret),
    walk(node, digits) {
      putNode(wasm, memory, node, digits)
      wasm.walk(digits.length)
      const reached = memory.copyOf(wasm.OUT.value, NODE_BYTES)
      wasm.wipe(NODE_BYTES + digits.length)
      return reached
    },
    levelKey: (secret) => wasmLevelKey(wasm, memory, ciphers, secret),
    encryptor(secret) {
      const key = Buffer.from(secret)
      const io = wasm.IO.value
      return (block) => {
        memory.bytes.set(key, io)
        memory.bytes.set(block, io + key.length)
        wasm.encryptBlock()
        const encrypted = memory.copyOf(io + key.length, block.length)
        wasm.wipe(key.length + block.length)
        return encrypted
      }
    },
    siv: wasmSiv(wasm, memory, ciphers),
  }
}

/** Writes a node, and the digits below it as bytes, where the module expects them. */
function putNode({ IO }: Exports, { bytes }: Memory, node: Uint8Array, digits: string): void {
  bytes.set(node, IO.value)
  const at = IO.value + NODE_BYTES
  for (let nth = 0; nth < digits.length; nth++) bytes[at + nth] = digits.charCodeAt(nth) - 48
}

/** The module's memory. Growing it detaches and replaces the view `bytes`, so callers must not keep this view. */
type Memory = {
  bytes: Buffer
  addPages(pages: number): number
  copyOf(at: number, length: number): Buffer
}

function createMemory({ memory }: Exports): Memory {
  const own: Memory = {
    bytes: Buffer.from(memory.buffer),
    addPages(pages) {
      const at = memory.grow(pages) * PAGE_BYTES
      own.bytes = Buffer.from(memory.buffer)
      return at
    },
    copyOf(at, length) {
      const { bytes } = own
      const copy = Buffer.alloc(length)
      // For these few bytes, a loop is faster than Buffer.copy.
      for (let i = 0; i < length; i++) copy[i] = bytes[at + i] ?? 0
      return copy
    },
  }
  return own
}

/** Assigns addresses in the memory to ciphers. */
type Ciphers = { newPlace(): number; release(cipher: number): void }

function createCiphers(memory: Memory, wasm: Exports): Ciphers {
  const nextPlace = createRoom(memory, wasm.CIPHER_BYTES.value)
  const released: number[] = []
  return {
    newPlace: () => released.pop() ?? nextPlace(),
    release(cipher) {
      wasm.wipeCipher(cipher)
      released.push(cipher)
    },
  }
}

function wasmSiv(wasm: Exports, memory: Memory, ciphers: Ciphers): Siv {
  const workspace = createWorkspaces(memory)
  return {
    workspaceFor: workspace.of,
    add(key) {
      const cipher = ciphers.newPlace()
      memory.bytes.set(key, wasm.IO.value)
      wasm.addCipher(cipher)
      wasm.wipe(key.length)
      key.fill(0)
      return cipher
    },
    seal(cipher, { length, adLength }) {
      const at = workspace.at()
      wasm.seal(cipher, at + DATA_AT, length, at + adAt(length), adLength)
    },
    open(cipher, { length, adLength }) {
      const at = workspace.at()
      return wasm.open(cipher, at + DATA_AT, length, at + adAt(length), adLength) !== 0
    },
    wipe: ciphers.release,
  }
}

const ROOM_PAGES = 16

/**
 * Returns a function that allocates `pieceBytes` bytes, and returns their address. Adds twice as many pages each time:
 * V8 collects garbage whenever the memory grows. Unused pages are not resident.
 */
function createRoom(memory: Memory, pieceBytes: number): () => number {
  let [next, end, pages] = [0, 0, ROOM_PAGES]
  return () => {
    if (next + pieceBytes > end) {
      next = memory.addPages(pages)
      end = next + pages * PAGE_BYTES
      pages *= 2
    }
    next += pieceBytes
    return next - pieceBytes
  }
}

/** Keeps one workspace in the memory, and replaces it with a larger one when it is too small. */
function createWorkspaces(memory: Memory) {
  let [at, size] = [0, 0]
  let seen: Buffer | undefined
  let workspace: Workspace | undefined
  return {
    at: () => at,
    of(dataBytes: number): Workspace {
      const wanted = workspaceBytes(dataBytes)
      if (wanted > size) {
        const pages = Math.ceil(Math.max(wanted, 2 * size) / PAGE_BYTES)
        at = memory.addPages(pages)
        size = pages * PAGE_BYTES
      }
      if (workspace === undefined || seen !== memory.bytes) {
        seen = memory.bytes
        const { buffer } = seen
        workspace = { bytes: Buffer.from(buffer, at, size), view: new DataView(buffer, at, size) }
      }
      return workspace
    },
  }
}

function wasmMacKey(wasm: Exports, memory: Memory, hash: MacHash, secret: Uint8Array): MacKey {
  const [io, key, out] = [wasm.IO.value, wasm.KEY.value, wasm.OUT.value]
  const states = macStates(wasm, memory, hash, secret)
  const plain = plainPrimitives.macKey(hash, secret)
  const compute = hash === 'sha256' ? wasm.mac256 : wasm.mac512
  return {
    mac(message) {
      if (message.length > MESSAGE_BYTES_MAX) return plain.mac(message)
      memory.bytes.set(states, key)
      memory.bytes.set(message, io)
      compute(message.length)
      const result = memory.copyOf(out, macBytes[hash])
      wasm.wipe(message.length + PADDING_BYTES_MAX)
      return result
    },
  }
}

/** Returns the two states of an HMAC key, as `KEY` in wasm/module/memory.ts has them. */
function macStates(wasm: Exports, memory: Memory, hash: MacHash, secret: Uint8Array): Buffer {
  memory.bytes.set(secret, wasm.IO.value)
  if (hash === 'sha256') wasm.key256()
  else wasm.key512()
  const states = memory.copyOf(wasm.KEY.value, 2 * macBytes[hash])
  wasm.wipe(secret.length)
  return states
}

/** The offset in IO of the bytes that follow the leaf. */
const TAIL_AT = 96

function wasmLevelKey(
  wasm: Exports,
  memory: Memory,
  ciphers: Ciphers,
  secret: Uint8Array,
): LevelKey {
  const [io, key, out] = [wasm.IO.value, wasm.KEY.value, wasm.OUT.value]
  const states = macStates(wasm, memory, 'sha512', secret)
  const put = ({ node, digits, tail }: LevelOf): void => {
    memory.bytes.set(states, key)
    putNode(wasm, memory, node, digits)
    memory.bytes.set(tail, io + TAIL_AT)
  }
  return {
    cipher(of) {
      const cipher = ciphers.newPlace()
      put(of)
      wasm.levelCipher(cipher, of.digits.length, of.tail.length)
      wasm.wipe(TAIL_AT + of.tail.length + PADDING_BYTES_MAX)
      return cipher
    },
    sivKey(of) {
      put(of)
      wasm.levelKey(of.digits.length, of.tail.length)
      const sivKey = memory.copyOf(out, macBytes.sha512)
      wasm.wipe(TAIL_AT + of.tail.length + PADDING_BYTES_MAX)
      return sivKey
    },
  }
}

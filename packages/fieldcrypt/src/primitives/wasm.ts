// The primitives with the WebAssembly module of packages/fieldcrypt/wasm. A whole path or HMAC is one call. Everything
// that depends on a key is overwritten after each call.
import { plainPrimitives } from './plain.ts'
import type { MacHash, MacKey, Primitives } from './types.ts'
import { wasmBytes } from './wasm-bytes.ts'

const NODE_BYTES = 32
const SCHEDULE_WORDS = 60
/** Longer messages are left to Node. */
const MESSAGE_BYTES_MAX = 3_900
const macBytes: Readonly<Record<MacHash, number>> = { sha256: 32, sha512: 64 }
/** An HMAC pads its message by less than this, and then uses as much of IO for the inner hash. */
const PADDING_BYTES_MAX = 145

/** The exports of wasm/derive.ts. Globals are addresses. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly IO: { readonly value: number }
  readonly KEY: { readonly value: number }
  readonly OUT: { readonly value: number }
  key256(): void
  key512(): void
  mac256(length: number): void
  mac512(length: number): void
  walk(count: number): void
  expand(): void
  wipe(used: number): void
}

/** TypeScript has these types only among those of a browser. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (module: object) => { readonly exports: Exports }
    }
  | undefined

/** Schedules that are created one after the other share an allocation, because many small allocations are slow. */
let slab = new Uint32Array(0)
let slabUsed = 0
function newSchedule(): Uint32Array {
  if (slabUsed + SCHEDULE_WORDS > slab.length) {
    slab = new Uint32Array(SCHEDULE_WORDS * 64)
    slabUsed = 0
  }
  slabUsed += SCHEDULE_WORDS
  return slab.subarray(slabUsed - SCHEDULE_WORDS, slabUsed)
}

/** Undefined if this Node runs without WebAssembly, as with `--jitless`. */
export function newInstance(): Exports | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  const module = new WebAssembly.Module(Buffer.from(wasmBytes, 'base64'))
  return new WebAssembly.Instance(module).exports
}

/** Only one caller may use an instance, because its memory is that of one call. */
export function wasmPrimitives(wasm: Exports): Primitives {
  const bytes = Buffer.from(wasm.memory.buffer)
  const words = new Uint32Array(wasm.memory.buffer)
  const [io, out] = [wasm.IO.value, wasm.OUT.value]
  return {
    macKey: (hash, secret) => wasmMacKey(wasm, hash, secret),
    walk(node, digits) {
      bytes.set(node, io)
      for (let nth = 0; nth < digits.length; nth++)
        bytes[io + NODE_BYTES + nth] = digits.charCodeAt(nth) - 48
      wasm.walk(digits.length)
      const reached = new Uint8Array(NODE_BYTES)
      bytes.copy(reached, 0, out, out + NODE_BYTES)
      wasm.wipe(NODE_BYTES + digits.length)
      return reached
    },
    expandAes(secret) {
      bytes.set(secret, io)
      wasm.expand()
      const schedule = newSchedule()
      for (let nth = 0; nth < SCHEDULE_WORDS; nth++) schedule[nth] = words[out / 4 + nth] ?? 0
      wasm.wipe(secret.length)
      return schedule
    },
  }
}

function wasmMacKey(wasm: Exports, hash: MacHash, secret: Uint8Array): MacKey {
  const bytes = Buffer.from(wasm.memory.buffer)
  const [io, key, out] = [wasm.IO.value, wasm.KEY.value, wasm.OUT.value]
  const size = macBytes[hash]
  const copyOf = (from: number, length: number): Buffer => {
    const copy = Buffer.alloc(length)
    bytes.copy(copy, 0, from, from + length)
    return copy
  }
  bytes.set(secret, io)
  if (hash === 'sha256') wasm.key256()
  else wasm.key512()
  const states = copyOf(key, 2 * size)
  wasm.wipe(secret.length)
  const plain = plainPrimitives.macKey(hash, secret)
  const compute = hash === 'sha256' ? wasm.mac256 : wasm.mac512
  return {
    mac(message) {
      if (message.length > MESSAGE_BYTES_MAX) return plain.mac(message)
      bytes.set(states, key)
      bytes.set(message, io)
      compute(message.length)
      const result = copyOf(out, size)
      wasm.wipe(message.length + PADDING_BYTES_MAX)
      return result
    },
  }
}

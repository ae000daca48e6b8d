// Hashing and field encryption with WebAssembly or, if Node lacks it, in plain TypeScript: the same results in two to
// five times the time.
import { plainPrimitives } from './plain.ts'
import type { Primitives } from './types.ts'
import { newInstance, wasmPrimitives } from './wasm.ts'

const instance = newInstance()
export const { macKey, walk, levelKey, encryptor, siv }: Primitives =
  instance === undefined ? plainPrimitives : wasmPrimitives(instance)

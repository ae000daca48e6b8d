// The hashing and the encryption of fields: with WebAssembly, or without it in plain TypeScript, which takes two to five
// times as long and has the same results.
import { plainPrimitives } from './plain.ts'
import type { Primitives } from './types.ts'
import { newInstance, wasmPrimitives } from './wasm.ts'

const instance = newInstance()
export const { macKey, walk, levelKey, encryptor, siv }: Primitives =
  instance === undefined ? plainPrimitives : wasmPrimitives(instance)

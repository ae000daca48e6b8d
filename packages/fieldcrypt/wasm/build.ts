// Compiles module/ to WebAssembly. Run as a program, it writes src/primitives/wasm-bytes.ts. This file is committed, so
// that only a change of module/ needs the compiler.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import asc from 'assemblyscript/asc'

const source = join(import.meta.dirname, 'module/index.ts')
const target = join(import.meta.dirname, '../src/primitives/wasm-bytes.ts')

/** Returns the text of wasm-bytes.ts. */
export async function compiledModule(): Promise<string> {
  let wasm = new Uint8Array()
  const { error } = await asc.main(
    [source, '-O3', '--runtime', 'stub', '--noAssert', '--outFile', 'derive.wasm'],
    { writeFile: (_name, contents) => void (wasm = Buffer.from(contents)) },
  )
  if (error !== null) throw error
  const lines =
    Buffer.from(wasm)
      .toString('base64')
      .match(/.{1,110}/g) ?? []
  const text = lines.map((line) => `  '${line}',`).join('\n')
  return `// Written by wasm/build.ts from wasm/module.\nexport const wasmBytes: string = [\n${text}\n].join('')\n`
}

if (process.argv[1] === import.meta.filename) await writeFile(target, await compiledModule())

// Loaded into a service before anything else (`--import`). It applies the breakage named by TORTURE_BREAKAGE to the
// service's sources, and reports this on stderr.
import { registerHooks } from 'node:module'

import { breakages, isBreakage, rewrite } from '../breakages.ts'

const name = process.env['TORTURE_BREAKAGE'] ?? ''
if (!isBreakage(name)) throw new Error(`there is no breakage ${name}`)
const rewrites = breakages[name]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const wanted = rewrites.filter(({ file }) => url.endsWith(`/${file}`))
    if (wanted.length === 0 || loaded.source === undefined) return loaded
    const source = wanted.reduce(rewrite, textOf(loaded.source))
    process.stderr.write(`broken on purpose: ${url.slice(url.lastIndexOf('/') + 1)}\n`)
    return { ...loaded, source }
  },
})

const textOf = (source: string | NodeJS.ArrayBufferView | ArrayBuffer): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source)

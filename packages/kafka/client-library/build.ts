// Bundles the exports of index.ts into one file. tools/devstack/bin/bootstrap.js and the images run it after each
// installation.
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { rolldown } from 'rolldown'

const file = join(import.meta.dirname, 'dist/client-library.js')
const made = join(import.meta.dirname, `dist.${process.pid}/client-library.js`)

const bundle = await rolldown({
  input: join(import.meta.dirname, 'index.ts'),
  platform: 'node',
  // The modules have no side effects. Without this setting the bundle would contain all of them.
  treeshake: { moduleSideEffects: false },
})
await bundle.write({ file: made, format: 'esm' })
await rm(join(file, '..'), { recursive: true, force: true })
await rename(join(made, '..'), join(file, '..'))

// Bundles what index.ts names into one file. Run after each installation, by tools/devstack/bin/bootstrap.js and by the
// images.
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { rolldown } from 'rolldown'

const file = join(import.meta.dirname, 'dist/client-library.js')
const made = join(import.meta.dirname, `dist.${process.pid}/client-library.js`)

const bundle = await rolldown({
  input: join(import.meta.dirname, 'index.ts'),
  platform: 'node',
  // Its modules only define things; without this setting the bundle would keep every one of them.
  treeshake: { moduleSideEffects: false },
})
await bundle.write({ file: made, format: 'esm' })
await rm(join(file, '..'), { recursive: true, force: true })
await rename(join(made, '..'), join(file, '..'))

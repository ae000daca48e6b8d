// Makes one file of what index.ts names. Run after each installation, by tools/devstack/bin/bootstrap.js and by the images.
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { rolldown } from 'rolldown'

const file = join(import.meta.dirname, 'dist/client-library.js')
const made = join(import.meta.dirname, `dist.${process.pid}/client-library.js`)

const bundle = await rolldown({
  input: join(import.meta.dirname, 'index.ts'),
  platform: 'node',
  // Its modules do nothing but define; without this every one of them would be kept.
  treeshake: { moduleSideEffects: false },
})
await bundle.write({ file: made, format: 'esm' })
await rm(join(file, '..'), { recursive: true, force: true })
await rename(join(made, '..'), join(file, '..'))

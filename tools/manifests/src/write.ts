// Writes the generated files: see written.ts.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import { writtenFiles } from './written.ts'

for (const [path, content] of await writtenFiles()) await writeFile(join(REPOSITORY, path), content)

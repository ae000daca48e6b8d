// Writes what is made: see written.ts.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from './repository.ts'
import { writtenFiles } from './written.ts'

for (const [path, content] of await writtenFiles()) await writeFile(join(REPOSITORY, path), content)

// Reads the project's Markdown for tests that compare documents with code.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

export const readDocument = (path: string): Promise<string> =>
  readFile(join(REPOSITORY, path), 'utf8')

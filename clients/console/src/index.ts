// Where the built console lies, for whoever serves it. The page itself is in web/.
import { join } from 'node:path'

export const consoleFolder = join(import.meta.dirname, '..', 'dist')

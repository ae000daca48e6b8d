// The folder of the built console, for the service that serves it. The page itself is in web/.
import { join } from 'node:path'

export const consoleFolder = join(import.meta.dirname, '..', 'dist')

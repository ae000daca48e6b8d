// `npm run build:client` writes the packed driver into `.weir/client`.
import { join } from 'node:path'
import { buildPackage } from './build-package.ts'

const folder = join(import.meta.dirname, '../../../.weir/client')
process.stdout.write(`${await buildPackage(folder)}\n`)

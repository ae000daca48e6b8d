// The folder of the built site: site/build.ts writes it, and auth serves it.
import { join } from 'node:path'

export const siteFolder = join(import.meta.dirname, '../../../.weir/site')

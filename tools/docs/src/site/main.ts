// `npm run docs:site`: builds the documents as a site in .weir/site. It can be opened directly, or served by any web
// server.
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import { buildSite } from './build.ts'

const folder = join(REPOSITORY, '.weir', 'site')
const { pages, broken } = await buildSite(folder)
for (const link of broken) console.error(`leads nowhere: ${link}`)
console.log(`${pages} pages; begin with ${join(folder, 'index.html')}`)
process.exitCode = broken.length > 0 ? 1 : 0

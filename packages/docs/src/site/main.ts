// Builds the site, for `npm run docs:site`, `npm start` and container images. The site can be opened directly, and auth
// serves it at /docs.
import { join } from 'node:path'

import { siteFolder } from '../site-folder.ts'
import { buildSite } from './build.ts'

const { pages, broken } = await buildSite(siteFolder)
for (const link of broken) process.stderr.write(`leads nowhere: ${link}\n`)
process.stdout.write(`${pages} pages; begin with ${join(siteFolder, 'index.html')}\n`)
process.exitCode = broken.length > 0 ? 1 : 0

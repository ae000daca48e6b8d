// `npm run docs`: writes every document that is generated from the code. Tests fail if one differs from the code.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { cliPage, cliPagePath } from './pages/cli-page.ts'
import { configurationPageOf, configurationPages, pagePathOf } from './pages/configuration-pages.ts'
import { openApiPathOf, openApiTextOf, servicesWithApi } from './pages/openapi-files.ts'
import { REPOSITORY } from '@weir/devstack'

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(REPOSITORY, path)), { recursive: true })
  await writeFile(join(REPOSITORY, path), text)
}

for (const page of configurationPages)
  await write(pagePathOf(page), await configurationPageOf(page))
for (const service of servicesWithApi)
  await write(openApiPathOf(service), await openApiTextOf(service))
await write(cliPagePath, await cliPage())

// Generates docs/openapi/<service>.json, the OpenAPI document that a service serves at /openapi.json. `npm run docs`
// writes the files, and a test fails if a file differs from the code. So a review shows each change of the interface.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { REPOSITORY } from '@weir/devstack'

export const servicesWithApi = ['auth', 'output'] as const
export type ServiceWithApi = (typeof servicesWithApi)[number]

export const openApiPathOf = (service: ServiceWithApi): string => `docs/openapi/${service}.json`

/**
 * Returns the document's text. Loads the module that generates it by its path, because packages can't import services.
 */
export async function openApiTextOf(service: ServiceWithApi): Promise<string> {
  const folder = join(REPOSITORY, 'services', service)
  const module: unknown = await import(
    pathToFileURL(join(folder, 'src', 'api', 'openapi', 'document.ts')).href
  )
  const hasIt = typeof module === 'object' && module !== null && 'openApi' in module
  if (!hasIt || typeof module.openApi !== 'function') throw new Error(`${service} has no openApi`)
  const document: unknown = module.openApi('0.1.0')
  return `${JSON.stringify(document, null, 2)}\n`
}

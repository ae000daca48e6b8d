// Generates docs/configuration/<service>.md and all.md from the services' schemas. `npm run docs` writes the pages, and
// a test fails if a page differs from the code.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { configText, listConfigKeys } from '@weir/kit'
import type { ConfigKey } from '@weir/kit'
import { z } from 'zod'

import { REPOSITORY } from '@weir/devstack'

export const servicesConfigured = ['auth', 'ingest', 'output'] as const
export type ServiceConfigured = (typeof servicesConfigured)[number]

type Section = { readonly heading: string; readonly prefix: string }

// A setting belongs to the first section whose prefix it has. Settings without a section come first.
const sections: readonly Section[] = [
  { heading: 'TLS of the port', prefix: 'TLS_' },
  { heading: 'HashiCorp Vault', prefix: 'VAULT_' },
  { heading: 'Kafka', prefix: 'KAFKA_' },
  { heading: 'The schema registry', prefix: 'SCHEMA_REGISTRY_' },
]

export const configurationPages = ['all', ...servicesConfigured] as const
type ConfigurationPage = (typeof configurationPages)[number]

export const pagePathOf = (page: ConfigurationPage): string => `docs/configuration/${page}.md`

/** Loads the service's own schema by its path, because packages can't import services. */
export async function schemaOf(service: ServiceConfigured): Promise<z.ZodType> {
  const path = join(REPOSITORY, 'services', service, 'src', 'config.ts')
  const module: unknown = await import(pathToFileURL(path).href)
  const hasSchema = typeof module === 'object' && module !== null && 'configSchema' in module
  if (hasSchema && module.configSchema instanceof z.ZodType) return module.configSchema
  throw new Error(`${path} exports no configSchema`)
}

/** Settings that are the same in all services are on a page of their own. */
export async function configurationPageOf(page: ConfigurationPage): Promise<string> {
  const schemas = await Promise.all(servicesConfigured.map(schemaOf))
  const [auth = [], ingest = [], output = []] = schemas.map(listConfigKeys)
  const linesOf = (keys: readonly ConfigKey[]): Set<string> => new Set(keys.map(lineOf))
  const [inIngest, inOutput] = [linesOf(ingest), linesOf(output)]
  const shared = auth.filter((key) => inIngest.has(lineOf(key)) && inOutput.has(lineOf(key)))
  const isShared = linesOf(shared)
  if (page === 'all') return pageOf(sharedHead, shared)
  const own = { auth, ingest, output }[page].filter((key) => !isShared.has(lineOf(key)))
  return pageOf(headOf(page), own)
}

const rules = '[Rules](../configuration.md). Brackets contain the unit and the default.'
const sharedHead = ['# Settings of all services', `\`npm run docs\` writes this page. ${rules}`]
const headOf = (service: ServiceConfigured): readonly string[] => [
  `# Settings of ${service}`,
  `\`npm run docs\` writes this page from [config.ts](../../services/${service}/src/config.ts). See also the [settings of all services](all.md). ${rules}`,
]

function pageOf(head: readonly string[], keys: readonly ConfigKey[]): string {
  const keysOf = (wanted: Section | undefined) =>
    keys.filter(({ key }) => sections.find(({ prefix }) => key.startsWith(prefix)) === wanted)
  const parts = sections.flatMap((section) => {
    const own = keysOf(section)
    return own.length === 0 ? [] : [`## ${section.heading}`, listOf(own)]
  })
  return `${[...head, listOf(keysOf(undefined)), ...parts].join('\n\n')}\n`
}

const listOf = (keys: readonly ConfigKey[]): string => keys.map(lineOf).join('\n')

/** Returns a line such as «- `KEY` (unit; default): what it sets». */
function lineOf({ key, required, fallback, unit, isSecret, description }: ConfigKey): string {
  const hasDefault = fallback !== undefined && fallback !== ''
  const given = hasDefault ? `\`${configText(fallback)}\`` : undefined
  const notes = [unit, isSecret === true ? 'secret' : undefined, required ? 'required' : given]
  return `- \`${key}\` (${notes.filter((note) => note !== undefined).join('; ')}): ${description}`
}

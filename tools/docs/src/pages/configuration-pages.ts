// Generates docs/configuration/<service>.md from each service's schema. `npm run docs` writes the pages, and a test
// fails if a page differs from the code.
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

export const pagePathOf = (service: ServiceConfigured): string => `docs/configuration/${service}.md`

/** The service's own schema, loaded by its path, because packages can't import services. */
export async function schemaOf(service: ServiceConfigured): Promise<z.ZodType> {
  const path = join(REPOSITORY, 'services', service, 'src', 'config.ts')
  const module: unknown = await import(pathToFileURL(path).href)
  const hasSchema = typeof module === 'object' && module !== null && 'configSchema' in module
  if (hasSchema && module.configSchema instanceof z.ZodType) return module.configSchema
  throw new Error(`${path} exports no configSchema`)
}

export async function configurationPageOf(service: ServiceConfigured): Promise<string> {
  const keys = listConfigKeys(await schemaOf(service))
  const keysOf = (wanted: Section | undefined) =>
    keys.filter(({ key }) => sections.find(({ prefix }) => key.startsWith(prefix)) === wanted)
  const parts = sections.flatMap((section) => {
    const own = keysOf(section)
    return own.length === 0 ? [] : [`## ${section.heading}`, tableOf(own)]
  })
  return `${[
    `# Settings of ${service}`,
    `\`npm run docs\` writes this page from [config.ts](../../services/${service}/src/config.ts). Rules for all settings: ` +
      '[configuration.md](../configuration.md).',
    tableOf(keysOf(undefined)),
    ...parts,
  ].join('\n\n')}\n`
}

const HEAD = ['variable', 'default', 'unit', 'what it sets']

/** Formats a table as oxfmt does. */
function tableOf(keys: readonly ConfigKey[]): string {
  const rows = [HEAD, ...keys.map(rowOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [
    line(head),
    line(
      HEAD.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('\n')
}

function rowOf({ key, required, fallback, unit = '', isSecret, description }: ConfigKey): string[] {
  const unset = fallback === undefined || fallback === '' ? 'none' : `\`${configText(fallback)}\``
  const units = isSecret === true ? `${unit}, secret` : unit
  return [`\`${key}\``, required ? 'required' : unset, units, description]
}

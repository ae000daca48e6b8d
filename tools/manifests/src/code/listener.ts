// Reads from devstack's source which Kafka settings its listener for analysts has.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

/** This setting fits only if all processes share one clock, as in devstack. Elsewhere it may be missing. */
export const CLOCK_SKEW = 'sasl.oauthbearer.clock.skew.seconds'

export async function analystSettings(): Promise<string[]> {
  const path = join(REPOSITORY, 'tools/devstack/src/kafka/broker-properties.ts')
  const named = (await readFile(path, 'utf8')).matchAll(/own\('([^']+)'\)/g)
  return [...named].flatMap(([, name]) => name ?? [])
}

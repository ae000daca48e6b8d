// The names of the Kafka settings that devstack gives the listener for analysts, read from devstack's source.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

/** Correct only if all processes share one clock, as in devstack. It may be missing elsewhere. */
export const CLOCK_SKEW = 'sasl.oauthbearer.clock.skew.seconds'

export async function analystSettings(): Promise<string[]> {
  const path = join(REPOSITORY, 'tools/devstack/src/kafka/broker-properties.ts')
  const named = (await readFile(path, 'utf8')).matchAll(/own\('([^']+)'\)/g)
  return [...named].flatMap(([, name]) => name ?? [])
}

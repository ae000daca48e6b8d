// The integration tests' world: a broker and a registry on free ports with data in the run's own folder, a
// KEK files and a platform key. KAFKA_BROKERS and SCHEMA_REGISTRY_URL bring others instead.

import { join } from 'node:path'

import { makeKekFiles, makePlatformKey, startStack } from '@weir/devstack'

import { hasTests, runJest } from './jest.ts'
import type { JestRun } from './jest.ts'
import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'

export async function runIntegrationTests(unitRun: JestRun): Promise<Tally> {
  const run: JestRun = { ...unitRun, config: 'jest.integration.config.js' }
  if (run.signal.aborted || !(await hasTests(run))) return NOTHING
  const stack = await startStack({
    folder: join(run.folder, 'stack'),
    ports: 'free',
    kafkaBrokers: process.env['KAFKA_BROKERS'] || undefined,
    schemaRegistryUrl: process.env['SCHEMA_REGISTRY_URL'] || undefined,
    onProgress: (line) => console.log(line),
    onDied: ({ name, lastLines }) => console.log(`${name} ended unexpectedly:\n${lastLines}`),
    signal: run.signal,
  }).catch((error: unknown) => {
    console.log(`The integration tests could not start: ${String(error)}`)
  })
  if (stack === undefined) return { ...NOTHING, failed: 1 }
  try {
    await makeKekFiles(run.folder)
    return await runJest({
      ...run,
      env: {
        KAFKA_BROKERS: stack.kafkaBrokers,
        SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
        KEK_FOLDER: run.folder,
        PLATFORM_KEY: makePlatformKey(),
      },
    })
  } finally {
    await stack.stop()
  }
}

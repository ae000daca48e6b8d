// Apicurio Registry on this machine, for its Confluent-compatible API. Schemas are stored in a file.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { answers } from './http-answers.ts'
import { createPart } from './process/part.ts'
import type { Part, PartContext } from './process/part.ts'
import { freePort, LOOPBACK } from './ports.ts'

export type RegistryOptions = {
  java: string
  /** The folder of the unpacked registry. */
  program: string
  port: number
}

export async function createRegistryPart(
  options: RegistryOptions,
  context: PartContext,
): Promise<Part> {
  const folder = join(context.folder, 'registry')
  await mkdir(folder, { recursive: true })
  const address = registryAddress(options.port)
  const program = join(options.program, 'quarkus-run.jar')
  return createPart(
    {
      name: 'The schema registry',
      logName: 'registry.log',
      address,
      command: options.java,
      args: () => ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', program],
      env: {
        APICURIO_STORAGE_KIND: 'sql',
        // Writes each commit immediately, because a contract in Kafka must not outlive its schema's id.
        APICURIO_DATASOURCE_URL: `jdbc:h2:file:${join(folder, 'schemas')};WRITE_DELAY=0`,
        // An id for each version of each subject. A shared id would reveal which accounts have the same schema.
        APICURIO_CCOMPAT_LEGACY_ID_MODE_ENABLED: 'true',
        QUARKUS_HTTP_HOST: LOOPBACK,
        QUARKUS_HTTP_PORT: String(options.port),
        QUARKUS_MANAGEMENT_HOST: LOOPBACK,
        QUARKUS_MANAGEMENT_PORT: String(await freePort()),
        QUARKUS_LOG_LEVEL: 'WARN',
      },
      isReady: () => answers(`${address}/subjects`),
    },
    context,
  )
}

export const registryAddress = (port: number): string =>
  `http://${LOOPBACK}:${port}/apis/ccompat/v7`

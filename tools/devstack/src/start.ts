// The program of `npm start`: Kafka, the schema registry and the three services on this machine, data under .weir/,
// until Ctrl-C.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { buildConsole } from '@weir/console/build'
import { siteFolder } from '@weir/docs'
import { buildSite } from '@weir/docs/site'
import { AppError } from '@weir/kit'

import { runDemo } from './demo/demo.ts'
import { startEverything } from './everything.ts'
import type { Everything, ServicePorts } from './everything.ts'
import { DATA_FOLDER, REPOSITORY } from './repository.ts'
import { createPrivate, kekFilesIn, makeKekFiles, makePlatformKey } from './secrets.ts'
import type { ServiceName } from './services.ts'
import { onStopWish } from './process/stop-wish.ts'

const { env } = process
const LOGS = join(DATA_FOLDER, 'logs')
const STACK_PORTS = {
  kafka: portFrom('KAFKA_PORT', 9092),
  controller: portFrom('KAFKA_CONTROLLER_PORT', 9093),
  analysts: portFrom('KAFKA_ANALYSTS_PORT', 9094),
  registry: portFrom('SCHEMA_REGISTRY_PORT', 8085),
}
const PORTS: ServicePorts = {
  auth: portsFrom('AUTH', 8081),
  ingest: portsFrom('INGEST', 8082),
  output: portsFrom('OUTPUT', 8083),
}

// Aborted when everything must end: on request, or with the error of a part that died.
const ending = new AbortController()
const wish = onStopWish()
wish.addEventListener('abort', () => ending.abort())
const ended = new Promise<never>((_, reject) => {
  ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
})
ended.catch(() => {})

process.exit(await start())

async function start(): Promise<number> {
  let everything: Everything | undefined
  try {
    const secrets = await ensureSecrets()
    // everything else works without these pages
    await buildConsole(say).catch((error: unknown) => say(String(error)))
    await buildSite(siteFolder).catch((error: unknown) => say(String(error)))
    everything = await startAll(secrets)
    await Promise.race([showDemo(everything, secrets.auth.PLATFORM_KEY), ended])
    say(`Logs are in ${LOGS}.`)
    return await ended
  } catch (error) {
    if (wish.aborted) return 0
    say(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    if (everything !== undefined) say('Stopping …')
    await everything?.stop()
  }
}

async function startAll(secrets: Secrets): Promise<Everything> {
  say('Starting Kafka, the schema registry and the services …')
  const logFileOf = (name: string) => join(LOGS, `${name}.log`)
  const everything = await startEverything({
    stack: {
      folder: DATA_FOLDER,
      ports: STACK_PORTS,
      kafkaBrokers: env['KAFKA_BROKERS'] || undefined,
      schemaRegistryUrl: env['SCHEMA_REGISTRY_URL'] || undefined,
      onProgress: say,
      onDied: ({ name, logFile, lastLines }) => endBecause(name, logFile, lastLines),
    },
    ports: PORTS,
    env: { AUTH_PUBLIC_URL: env['AUTH_PUBLIC_URL'] },
    envOf: secrets,
    logFileOf,
    onServiceEnded: ({ name, lines }) =>
      endBecause(name, logFileOf(name), lines().slice(-15).join('\n')),
    signal: ending.signal,
  })
  const { stack, auth, ingest, output } = everything
  sayAddress('Kafka', stack.kafkaBrokers)
  if (stack.analystBrokers !== undefined) sayAddress('Kafka, analysts', stack.analystBrokers)
  for (const { name, url } of [auth, ingest, output]) sayAddress(name, url)
  sayAddress('schemas', `${auth.url}/registry`)
  sayAddress('console', `${output.url}/console/`)
  sayAddress('documents', `${auth.url}/docs`)
  return everything
}

/** Each service gets only its own secrets. */
type Secrets = Readonly<Record<ServiceName, { KEK_FILE: string }>> & {
  readonly auth: { PLATFORM_KEY: string }
}

async function ensureSecrets(): Promise<Secrets> {
  const files = kekFilesIn(DATA_FOLDER)
  if (env['KEK_FILE'] === undefined && (await makeKekFiles(DATA_FOLDER))) {
    say(
      `Created ${files.auth}, the file with the KEKs: without it, encrypted fields cannot be decrypted.`,
    )
  }
  const kekOf = (name: ServiceName) => ({ KEK_FILE: env['KEK_FILE'] ?? files[name] })
  const platformKeyFile = join(DATA_FOLDER, 'platform-key')
  if (env['PLATFORM_KEY'] === undefined) {
    const made = await createPrivate(platformKeyFile, `${makePlatformKey()}\n`)
    if (made) say(`Created ${platformKeyFile}, the key that creates accounts.`)
  }
  const platformKey = env['PLATFORM_KEY'] ?? (await readFile(platformKeyFile, 'utf8')).trim()
  return {
    auth: { ...kekOf('auth'), PLATFORM_KEY: platformKey },
    ingest: kekOf('ingest'),
    output: kekOf('output'),
  }
}

/** Only reports a failure of the demo, because everything else works without it. */
async function showDemo(everything: Everything, platformKey: string): Promise<void> {
  const { stack, auth, ingest, output } = everything
  const { kafkaBrokers, analystBrokers } = stack
  await runDemo({
    addresses: {
      authUrl: auth.url,
      ingestUrl: ingest.url,
      outputUrl: output.url,
      kafkaBrokers,
      ...(analystBrokers === undefined ? {} : { analystBrokers }),
      ...(env['KAFKA_PREFIX'] ? { kafkaPrefix: env['KAFKA_PREFIX'] } : {}),
    },
    platformKey,
    folder: DATA_FOLDER,
    examplesFolder: join(REPOSITORY, 'examples'),
    print: say,
  }).catch((error: unknown) => say(`The demo could not be shown. ${String(error)}`))
}

function portFrom(setting: string, otherwise: number): number {
  return Number(env[setting] || otherwise)
}

function portsFrom(service: string, port: number): { port: number; adminPort: number } {
  return {
    port: portFrom(`${service}_PORT`, port),
    adminPort: portFrom(`${service}_ADMIN_PORT`, port + 1000),
  }
}

function endBecause(name: string, logFile: string, lastLines: string): void {
  if (ending.signal.aborted) return
  const sentence = `${name} ended unexpectedly. The last lines of ${logFile}:\n${lastLines}`
  ending.abort(new AppError('died', sentence))
}

function sayAddress(name: string, address: string): void {
  say(`  ${name.padEnd(16)} ${address}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

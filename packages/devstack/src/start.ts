// What `npm start` runs: Kafka, the schema registry and the three services on this machine, data under
// .weir/, until Ctrl-C. Then the services end first, so that what they hold reaches Kafka.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { AppError } from '@weir/kit'

import { startAllOrNone } from './all-or-none.ts'
import { runDemo } from './demo/demo.ts'
import { demandFree, LOOPBACK } from './ports.ts'
import { DATA_FOLDER, REPOSITORY } from './repository.ts'
import { createPrivate, makeKekFile, makePlatformKey } from './secrets.ts'
import { startService, type Service, type ServiceName } from './services.ts'
import { startStack, type Stack } from './stack.ts'
import { onStopWish } from './stop-wish.ts'

const { env } = process
const LOGS = join(DATA_FOLDER, 'logs')
const STACK_PORTS = {
  kafka: portFrom('KAFKA_PORT', 9092),
  controller: portFrom('KAFKA_CONTROLLER_PORT', 9093),
  registry: portFrom('SCHEMA_REGISTRY_PORT', 8085),
}
const PORTS = {
  auth: portFrom('AUTH_PORT', 8081),
  ingest: portFrom('INGEST_PORT', 8082),
  output: portFrom('OUTPUT_PORT', 8083),
}
const ADMIN_PORTS = {
  auth: portFrom('AUTH_ADMIN_PORT', 9081),
  ingest: portFrom('INGEST_ADMIN_PORT', 9082),
  output: portFrom('OUTPUT_ADMIN_PORT', 9083),
}
const SERVICES = ['auth', 'ingest', 'output'] as const

// Aborted when everything is to end: by a wish, or with the error that says what died.
const ending = new AbortController()
const wish = onStopWish()
wish.addEventListener('abort', () => ending.abort())
const ended = new Promise<never>((_, reject) => {
  ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
})
ended.catch(() => {})

process.exit(await start())

async function start(): Promise<number> {
  let stack: Stack | undefined
  const services: Service[] = []
  try {
    stack = await startKafkaAndRegistry()
    const secrets = await ensureSecrets()
    services.push(...(await startServices(stack, secrets)))
    await Promise.race([showDemo(stack, secrets.PLATFORM_KEY), ended])
    say(`Logs are in ${LOGS}.`)
    return await ended
  } catch (error) {
    if (wish.aborted) return 0
    say(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    if (stack !== undefined) say('Stopping …')
    await Promise.all(services.map((service) => service.stop()))
    await stack?.stop()
  }
}

async function startKafkaAndRegistry(): Promise<Stack> {
  say('Starting Kafka and the schema registry …')
  const stack = await startStack({
    folder: DATA_FOLDER,
    ports: STACK_PORTS,
    kafkaBrokers: env['KAFKA_BROKERS'] || undefined,
    schemaRegistryUrl: env['SCHEMA_REGISTRY_URL'] || undefined,
    onProgress: say,
    onDied: ({ name, logFile, lastLines }) => endBecause(name, logFile, lastLines),
    signal: ending.signal,
  })
  sayAddress('Kafka', stack.kafkaBrokers)
  sayAddress('schema registry', stack.schemaRegistryUrl)
  return stack
}

type Secrets = { KEK_FILE: string; PLATFORM_KEY: string }

async function ensureSecrets(): Promise<Secrets> {
  const kekFile = join(DATA_FOLDER, 'kek')
  if (env['KEK_FILE'] === undefined && (await makeKekFile(kekFile))) {
    say(`Made ${kekFile}, the key that wraps all others: without it, sealed fields stay sealed.`)
  }
  const platformKeyFile = join(DATA_FOLDER, 'platform-key')
  if (env['PLATFORM_KEY'] === undefined) {
    const made = await createPrivate(platformKeyFile, `${makePlatformKey()}\n`)
    if (made) say(`Made ${platformKeyFile}, the key that makes accounts.`)
  }
  return {
    KEK_FILE: env['KEK_FILE'] ?? kekFile,
    PLATFORM_KEY: env['PLATFORM_KEY'] ?? (await readFile(platformKeyFile, 'utf8')).trim(),
  }
}

async function startServices(stack: Stack, secrets: Secrets): Promise<Service[]> {
  for (const name of SERVICES) {
    const setting = name.toUpperCase()
    await demandFree(PORTS[name], name, `${setting}_PORT to another one`)
    await demandFree(ADMIN_PORTS[name], name, `${setting}_ADMIN_PORT to another one`)
  }
  const shared = {
    KAFKA_BROKERS: stack.kafkaBrokers,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    AUTH_PUBLIC_URL: env['AUTH_PUBLIC_URL'] ?? urlOf('auth'),
    ...secrets,
  }
  const starters = SERVICES.map((name) => async (signal: AbortSignal) => {
    const logFile = join(LOGS, `${name}.log`)
    const service = await startService({ name, env: shared, logFile, signal })
    void service.exited.then(() => endBecause(name, logFile, service.lines().slice(-15).join('\n')))
    return service
  })
  const services = await startAllOrNone(starters, (service) => service.stop(), ending.signal)
  for (const { name, url } of services) sayAddress(name, url)
  return services
}

/** Without it everything works all the same, so its failure is told, and nothing ends. */
async function showDemo(stack: Stack, platformKey: string): Promise<void> {
  const { kafkaBrokers, schemaRegistryUrl } = stack
  await runDemo({
    addresses: {
      authUrl: urlOf('auth'),
      ingestUrl: urlOf('ingest'),
      outputUrl: urlOf('output'),
      kafkaBrokers,
      schemaRegistryUrl,
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

function urlOf(name: ServiceName): string {
  return `http://${LOOPBACK}:${PORTS[name]}`
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

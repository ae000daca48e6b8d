// Starts the world of a run: brokers, a schema registry, replicas of all services, and an account with its streams.

import { kekFilesIn } from '@weir/devstack'
import { createKafka } from '@weir/kafka'
import { pino } from 'pino'

import { account as accountAt, clockShiftPreload, signUp, exampleContracts } from '@weir/testkit'
import type { Account, ServiceEnv } from '@weir/testkit'
import { shiftFor } from './clock.ts'
import type { Outside } from './check/check-independently.ts'
import type { LossReport } from './check/check-world.ts'
import type { Kind } from './events.ts'
import type { Theatre } from './faults/theatre.ts'
import { createStreams } from './streams.ts'
import type { TestInput, OutputLevels } from './streams.ts'
import { startBrokers } from './world/brokers.ts'
import type { Brokers } from './world/brokers.ts'
import { createFleet } from './world/fleet.ts'
import type { Fleet } from './world/fleet.ts'
import { createTestOutput } from './world/make-streams.ts'
import { operateWith } from './world/operate.ts'
import { openWays, serviceOf, slots } from './world/slots.ts'
import type { Slot } from './world/slots.ts'
import { openStrangers } from './world/strangers.ts'
import { createTokens } from './world/tokens.ts'
import { openTopics } from './world/topics.ts'

/** The objects that faults affect, without the additions of the checks. */
export type TortureWorld = Omit<Theatre, 'farewell' | 'people'> & {
  losses: readonly LossReport[]
  outside: Outside
  close(): Promise<void>
}

export type TortureOptions = {
  folder: string
  kinds: readonly Kind[]
  /** The time from the load's start to the full hour of the services' clocks. */
  fullHourAfterMs: number
  kekFolder: string
  platformKey: string
  /** A running registry. Undefined: the world starts its own. */
  schemaRegistryUrl: string | undefined
  brokers: 1 | 3
  expireIdsMs: number | undefined
  /** Added to the environment of every service. */
  env: ServiceEnv
  /** Modules that every service loads first. */
  preload: readonly string[]
}

const PRODUCE_TIMEOUT_MS = 4_000
/** The approximate time to start the services and create the streams. */
const STARTING_MS = 15_000
const NOWHERE = 'http://127.0.0.1:9'

const inputs = [
  { name: 'days', partitions: 3, rotationHours: 24 },
  { name: 'hours', partitions: 2, rotationHours: 1 },
] as const

const outputs: readonly { input: number; name: string; levels: OutputLevels }[] = [
  { input: 0, name: 'days-0', levels: { type: 'CUMULATIVE', levels: [0] } },
  { input: 0, name: 'days-1', levels: { type: 'CUMULATIVE', levels: [1] } },
  { input: 0, name: 'days-1-3', levels: { type: 'GRANULAR', levels: [1, 3] } },
  { input: 1, name: 'hours-2', levels: { type: 'CUMULATIVE', levels: [2] } },
  {
    input: 1,
    name: 'hours-read',
    levels: { type: 'CUMULATIVE', levels: [2], decryptAt: 'reader' },
  },
  { input: 1, name: 'hours-0-2', levels: { type: 'GRANULAR', levels: [0, 2] } },
]

export async function openWorld(options: TortureOptions): Promise<TortureWorld> {
  const ways = await openWays()
  const brokers = await startBrokers({ ...options, ways, count: options.brokers })
  const clockShiftMs = shiftFor(Date.now(), STARTING_MS + options.fullHourAfterMs)
  const losses: LossReport[] = []
  const fleet = createFleet({
    env: envOf(options, brokers, clockShiftMs),
    folder: options.folder,
    onLine(line) {
      const loss = lossIn(line)
      if (loss !== undefined) losses.push(loss)
    },
  })
  const own = openOwnClients(brokers, ways.ports.kafka, envOf(options, brokers, clockShiftMs))
  const close = async (): Promise<void> => {
    await fleet.close()
    await Promise.all([own.topics.close(), own.strangers.close()])
    await Promise.all(brokers.brokers.map((broker) => broker.stop()))
    await ways.close()
  }
  try {
    await Promise.all(slots.filter((slot) => slot !== 'output-3').map(fleet.start))
    const made = await makeAccount(fleet, options)
    const account = (): Account => accountAt(authUrl(fleet), made.billingId, made.apiKey)
    const streams = createStreams(
      inputs.map((input): TestInput => ({ ...input, topic: `${made.billingId}.${input.name}` })),
    )
    const tokens = createTokens(account)
    const { brokers: all, addresses, schemaRegistryUrl } = brokers
    const theatre = { ...own, brokers: all, fleet, ways, streams, tokens, account }
    const world = { ...theatre, clockShiftMs, formerPositions: new Map() }
    await makeStreams(world)
    return { ...world, losses, outside: { brokers: addresses, schemaRegistryUrl }, close }
  } catch (error) {
    await close()
    throw error
  }
}

function openOwnClients({ addresses }: Brokers, port: number, env: (slot: Slot) => ServiceEnv) {
  const log = pino({ level: 'silent' })
  const kafka = createKafka({ brokers: addresses, clientId: 'weir-torture', log })
  return {
    topics: openTopics(kafka, port),
    strangers: openStrangers(kafka),
    operate: operateWith({ ...env('auth-1'), KAFKA_BROKERS: addresses.join() }),
  }
}

const authUrl = (fleet: Fleet): string => fleet.find('auth-1')?.url ?? NOWHERE

function envOf(
  options: TortureOptions,
  brokers: Brokers,
  clockShiftMs: number,
): (slot: Slot) => ServiceEnv {
  const preload = [clockShiftPreload, ...options.preload].map((file) => `--import=${file}`)
  return (slot) => {
    const prefix = serviceOf(slot).toUpperCase()
    return {
      NODE_OPTIONS: preload.join(' '),
      TEST_CLOCK_SHIFT_MS: String(clockShiftMs),
      [`${prefix}_PORT`]: '0',
      [`${prefix}_ADMIN_PORT`]: '0',
      AUTH_PUBLIC_URL: 'http://auth.test',
      KAFKA_BROKERS: brokers.addressFor(slot),
      SCHEMA_REGISTRY_URL: brokers.schemaRegistryUrl,
      KEK_FILE: kekFilesIn(options.kekFolder)[serviceOf(slot)],
      PLATFORM_KEY: options.platformKey,
      PRODUCE_TIMEOUT_MS: String(PRODUCE_TIMEOUT_MS),
      ...options.env,
    }
  }
}

async function makeAccount(fleet: Fleet, { kinds }: TortureOptions): Promise<Account> {
  const account = await signUp(authUrl(fleet))
  for (const { name } of kinds) await account.contract(exampleContracts[name])
  return account
}

async function makeStreams(
  world: Omit<TortureWorld, 'losses' | 'outside' | 'close'>,
): Promise<void> {
  const { streams, tokens } = world
  for (const { name, partitions, rotationHours } of streams.inputs) {
    const stream = await world.account().input(name, { partitions, rotationHours })
    const { clientId, clientSecret } = stream
    const credentials = { clientId, clientSecret }
    tokens.put(name, credentials, await world.account().token(credentials))
  }
  for (const { input: index, name, levels } of outputs) {
    const input = streams.inputs[index]
    if (input !== undefined) await createTestOutput(world, { name, input, levels, from: 'now' })
  }
}

/** Parses the line that output logs if retention removed events before they were derived. */
function lossIn(line: string): LossReport | undefined {
  if (!line.includes('retention removed events before they were derived')) return undefined
  const entry: unknown = JSON.parse(line)
  if (typeof entry !== 'object' || entry === null) return undefined
  const { stream: topic, partition, events } = Object.fromEntries(Object.entries(entry))
  return { topic: String(topic), partition: Number(partition), events: Number(events) }
}

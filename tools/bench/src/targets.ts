// The targets of part `ingest`: servers on the measured core, and the requests sent to them.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asObject, signUp, exampleContract } from '@weir/testkit'
import type { World } from '@weir/testkit'
import { batchesOf, clickstreamBodies, sessionDigits } from './events.ts'
import { partitions, unlimited } from './filled-stream.ts'
import { loadOf } from './load-of.ts'
import type { SentLoad } from './load-of.ts'
import type { LoadPlan } from './load/load.ts'
import { measuredCore, pin, startNode } from './processes.ts'
import type { Running } from './processes.ts'

/** The events in one request of `ingest-batch`. With so many, `batchStreams` concurrent requests suffice. */
const batchEvents = 500
const batchStreams = 2
const manySessions = 1_000_000

export type BenchTarget = {
  readonly pid: number
  readonly load: Omit<LoadPlan, 'warmUpMs' | 'measuredMs'>
  readonly eventsPerRequest: number
}
export type TargetName =
  | 'http-bare'
  | 'http-own'
  | 'reference'
  | 'ingest-json'
  | 'ingest-avro'
  | 'ingest-batch'
  | 'sessions-1000'
  | 'sessions-1000000'

type Server = { readonly pid: number; readonly port: number }

export async function prepareTargets(
  world: World,
  started: Running[],
): Promise<Record<TargetName, BenchTarget>> {
  const account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const stream = await account.input('bench', { partitions, limits: unlimited })
  const token = await account.token(stream)
  const bodies = await clickstreamBodies()

  const target = ({ pid, port }: Server, sent: Omit<SentLoad, 'port' | 'token'>): BenchTarget => ({
    pid,
    load: loadOf({ ...sent, port, token }),
    eventsPerRequest: 1,
  })
  const server = (file: string, ...args: string[]) => startServer(started, file, args)
  const { json, avro, batch } = sentOf(bodies)
  const ingest = { pid: world.ingest.pid, port: Number(new URL(world.ingest.url).port) }
  pin(ingest.pid, measuredCore)
  const ofJson = target(ingest, json)
  const ofBatches = target(ingest, batch)
  const answer = `{"accepted":${batchEvents},"rejected":[]}`
  const batchLoad = { ...ofBatches.load, streams: batchStreams, answer }
  const brokers = world.env['KAFKA_BROKERS'] ?? ''
  const schemaFile = await writeSchema(dirname(ofBatches.load.bodiesFile))
  const reference = await server('reference.ts', brokers, stream.topic, schemaFile, token)
  return {
    'http-bare': target(await server('bare.ts'), json),
    'http-own': target(await server('own.ts'), json),
    reference: target(reference, json),
    'ingest-json': ofJson,
    'ingest-avro': target(ingest, avro),
    'ingest-batch': { ...ofBatches, load: batchLoad, eventsPerRequest: batchEvents },
    'sessions-1000': ofJson,
    'sessions-1000000': {
      ...ofJson,
      load: { ...ofJson.load, counter: sessionDigits(bodies.json[0]), answersMin: manySessions },
    },
  }
}

function sentOf({ json, avro }: { readonly json: Buffer[]; readonly avro: Buffer[] }) {
  const batches = batchesOf(avro, batchEvents)
  return {
    json: { type: 'application/json', bodies: json },
    avro: { type: 'avro/binary', bodies: avro },
    batch: { type: 'application/x-avro-batch', bodies: batches, path: '/events' },
  }
}

async function startServer(
  started: Running[],
  file: string,
  args: readonly string[],
): Promise<Server> {
  const running = startNode(join(import.meta.dirname, 'servers', file), args, measuredCore)
  started.push(running)
  const line = await running.line((text) => text.includes('listening'))
  return { pid: running.pid, port: Number(asObject(JSON.parse(line))['port']) }
}

async function writeSchema(folder: string): Promise<string> {
  const file = join(folder, 'schema.json')
  const definition = asObject((await exampleContract('clickstream'))['schema'])['definition']
  writeFileSync(file, JSON.stringify(definition))
  return file
}

// Part `ingest`: what one event costs the process that takes it, held against Node's bare HTTP/2 server
// and a plain reference, all in one session, in turn.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asObject, createAccount, exampleContract, startWorld } from '@weir/testkit'
import type { World } from '@weir/testkit'
import { batchesOf, clickstreamBodies } from './events.ts'
import type { HeaderList } from './load/header-block.ts'
import { measure, writeBodies } from './measure.ts'
import type { Run } from './measure.ts'
import { measuredCore, pin, startNode } from './processes.ts'
import type { Running } from './processes.ts'
import { resultOf, spreadOf } from './results.ts'
import type { Result } from './results.ts'

const connections = 8
const streams = 100
const partitions = 3
/** In one request of `ingest-batch`; a few requests at once are as many events as elsewhere. */
const batchEvents = 500
const batchStreams = 4
const unlimited = { eventRate: '999999999', eventCount: '999999999999' }

type Target = {
  name: string
  pid: number
  port: number
  headers: HeaderList
  bodiesFile: string
  streams?: number
  eventsPerRequest?: number
  answer?: string
}

export async function benchIngest(options: {
  runs: number
  warmUpMs: number
  measuredMs: number
  log: (line: string) => void
}): Promise<Result[]> {
  const world = await startWorld()
  const started: Running[] = []
  try {
    const targets = await prepare(world, started)
    const runs = new Map<string, Run[]>(targets.map(({ name }) => [name, []]))
    for (let round = 0; round < options.runs; round++)
      for (const { name, pid, eventsPerRequest, ...where } of targets) {
        const run = await measure(
          pid,
          {
            connections,
            streams,
            ...where,
            warmUpMs: options.warmUpMs,
            measuredMs: options.measuredMs,
          },
          eventsPerRequest,
        )
        runs.get(name)?.push(run)
        options.log(
          `${name}: ${Math.round(run.eventsPerCpuSecond)} events per CPU-second, ${Math.round(run.eventsPerSecond)} a second`,
        )
      }
    const bare = spreadOf((runs.get('http-bare') ?? []).map((run) => run.eventsPerCpuSecond))
    return [...runs].map(([name, each]) => resultOf(name, each, bare))
  } finally {
    for (const each of started) each.stop()
    await world.stop()
  }
}

async function prepare(world: World, started: Running[]): Promise<Target[]> {
  const account = await createAccount(world.auth.url)
  await account.contract('clickstream')
  const stream = await account.input('bench', { partitions, limits: unlimited })
  const token = await account.token(stream)
  const bodies = await clickstreamBodies()
  const json = writeBodies(bodies.json)
  const avro = writeBodies(bodies.avro)
  const schemaFile = join(dirname(json), 'schema.json')
  const definition = asObject((await exampleContract('clickstream'))['schema'])['definition']
  writeFileSync(schemaFile, JSON.stringify(definition))

  const server = async (
    file: string,
    args: readonly string[],
  ): Promise<{ pid: number; port: number }> => {
    const running = startNode(join(import.meta.dirname, 'servers', file), args, measuredCore)
    started.push(running)
    const { port } = JSON.parse(await running.line((line) => line.includes('listening'))) as {
      port: number
    }
    return { pid: running.pid, port }
  }
  const headersFor = (port: number, type: string, path = '/event'): HeaderList => [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', `127.0.0.1:${port}`],
    ['authorization', `Bearer ${token}`],
    ['svc-schema-id', 'clickstream'],
    ['content-type', type],
  ]
  const bare = await server('bare.ts', [])
  const own = await server('own.ts', [])
  const reference = await server('reference.ts', [
    world.env['KAFKA_BROKERS'] ?? '',
    stream.topic,
    schemaFile,
    token,
  ])
  const ingest = { pid: world.ingest.pid, port: Number(new URL(world.ingest.url).port) }
  pin(ingest.pid, measuredCore)
  const target = (
    name: string,
    where: { pid: number; port: number },
    type: string,
    bodiesFile: string,
  ): Target => ({
    name,
    ...where,
    headers: headersFor(where.port, type),
    bodiesFile,
  })
  return [
    target('http-bare', bare, 'application/json', json),
    target('http-own', own, 'application/json', json),
    target('reference', reference, 'application/json', json),
    target('ingest-json', ingest, 'application/json', json),
    target('ingest-avro', ingest, 'avro/binary', avro),
    {
      name: 'ingest-batch',
      ...ingest,
      headers: headersFor(ingest.port, 'application/x-avro-batch', '/events'),
      bodiesFile: writeBodies(batchesOf(bodies.avro, batchEvents)),
      streams: batchStreams,
      eventsPerRequest: batchEvents,
      answer: `{"accepted":${batchEvents},"rejected":[]}`,
    },
  ]
}

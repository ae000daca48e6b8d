// Part `fleet`: three replicas of output with hundreds of derived streams, two for each input. While all replicas are
// replaced, it measures how soon the first event of an idle stream is in both derived streams. It also counts lost and
// duplicate events, and the connections of each replica to the broker.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { createAdmin } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { Service } from '@weir/devstack'
import {
  connectProducer,
  createTopicReader,
  exampleEvent,
  kafkaBrokers,
  textIn,
} from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { connectBench, nextRecordIn } from '../arrivals.ts'
import type { PartOptions } from '../part.ts'
import { unpin } from '../processes.ts'
import { timesOf } from '../results.ts'
import type { Result } from '../results.ts'
import {
  derivedNameOf,
  inWorld,
  createFleetOutput,
  makeInputs,
  fleetNameOf,
  services,
} from './streams.ts'

const inputsUsually = 150
const levels = [0, 1]
const replicas = 3
const picks = 50
const calmDownMs = 15_000

export const benchFleet = (options: PartOptions): Promise<Result[]> =>
  inWorld(options, async (world, account) => {
    const inputs = options.streams ?? inputsUsually
    await makeInputs(account, 0, inputs)
    for (const level of levels) await createFleetOutput(account, inputs, level)
    for (const pid of [process.pid, ...services.map((name) => world[name].pid)]) unpin(pid)
    const fleet = [world.output]
    while (fleet.length < replicas) fleet.push(await world.replica('output'))
    await delay(calmDownMs)
    options.log(`at rest: ${connectionsOf(fleet)} connections to the broker`)
    const picked = pick(inputs)
    const firstEvents = await openFirstEvents(world, account)
    const took: number[] = []
    const replacing = keepReplacing(world, fleet)
    for (const number of picked) took.push(await firstEvents.time(number))
    options.log(`${await replacing.stop()} replicas were replaced meanwhile`)
    options.log(`at work: ${connectionsOf(fleet)} connections to the broker`)
    const counts = await firstEvents.counts(picked)
    const wrong = counts.filter((count) => count !== 1)
    options.log(`of ${counts.length} derived streams ${wrong.length} have not exactly one event`)
    options.log(`the latest of ${took.length} first events took ${Math.max(...took).toFixed(0)} ms`)
    await firstEvents.close()
    return [{ ...timesOf(`fleet-${inputs}-${inputs * levels.length}`, took), errors: wrong.length }]
  })

/** Returns the numbers of some inputs, evenly spread, and the same in every run. */
const pick = (inputs: number): number[] => {
  const step = inputs / Math.min(picks, inputs)
  return Array.from({ length: Math.min(picks, inputs) }, (_, at) => Math.floor(at * step))
}

async function openFirstEvents(world: World, account: Account) {
  const kafka = connectBench()
  const admin = createAdmin(kafka)
  const producer = await connectProducer(world.ingest.url)
  const reader = createTopicReader(world.env)
  const event = await exampleEvent('clickstream')
  const topicsOf = (number: number): string[] =>
    levels.map((level) => `${account.billingId}.${derivedNameOf(number, level)}`)
  return {
    /** Returns the ms from an event's POST until both derived topics have the event. */
    async time(number: number): Promise<number> {
      const token = await tokenOf(account, number)
      const arrivals = await Promise.all(
        topicsOf(number).map((topic) => nextRecordIn({ kafka, admin }, topic)),
      )
      const startedAt = performance.now()
      const { status } = await producer.send(event, { token, schemaId: 'clickstream' })
      if (status !== 204) throw new Error(`the event was answered with ${status}`)
      await Promise.all(arrivals.map(({ came }) => came))
      const tookMs = performance.now() - startedAt
      for (const { close } of arrivals) close()
      return tookMs
    },
    async counts(numbers: readonly number[]): Promise<number[]> {
      const counts: number[] = []
      for (const topic of numbers.flatMap(topicsOf)) counts.push((await reader.read(topic)).length)
      return counts
    },
    async close() {
      producer.close()
      await reader.close()
      await admin.close()
    },
  }
}

async function tokenOf(account: Account, number: number): Promise<string> {
  const { body } = await account.call('POST', `/v2/streams/${fleetNameOf(number)}/credentials`, {})
  return account.token({
    clientId: textIn(body, 'clientId'),
    clientSecret: textIn(body, 'clientSecret'),
  })
}

/** Replaces the replicas one after the other, as in a rolling update: the next one is ready before the old one ends. */
function keepReplacing(world: World, fleet: Service[]): { stop(): Promise<number> } {
  let isStopped = false
  let count = 0
  const replacing = (async () => {
    while (!isStopped) {
      const old = fleet.shift()
      fleet.push(await world.replica('output'))
      await old?.stop()
      count += 1
    }
  })()
  return {
    async stop() {
      isStopped = true
      await replacing
      return count
    },
  }
}

const connectionsOf = (fleet: readonly Service[]): string =>
  fleet.map(({ pid }) => brokerConnections(pid)).join(', ')

const ESTABLISHED = '01'

function brokerConnections(pid: number): number {
  const port = Number(kafkaBrokers()[0]?.split(':').at(-1))
  const own = inodesOf(pid)
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote = '', state]) => state === ESTABLISHED && portIn(remote) === port)
    .filter(([, , , , , , , , , inode = '']) => own.has(inode)).length
}

const portIn = (address: string): number => parseInt(address.split(':').at(-1) ?? '', 16)

function inodesOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`
  return new Set(readdirSync(folder).flatMap((fd) => inodeOf(`${folder}/${fd}`)))
}

function inodeOf(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? []
  } catch {
    return [] // the file was closed meanwhile
  }
}

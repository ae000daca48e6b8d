// Part `streams`: the cost of ingest, and of a starting service, with few and with many input streams. Part `rest`: the
// cost of idle services with zero to two derived streams for each of many input streams.
import { readdirSync, readlinkSync } from 'node:fs'
import { delay } from '@weir/kit'
import type { World } from '@weir/testkit'
import { clickstreamBodies } from '../events.ts'
import { loadOf } from '../load-of.ts'
import { measure } from '../measure.ts'
import type { Run } from '../measure.ts'
import type { PartOptions } from '../part.ts'
import { cpuSeconds, rssMb } from '../processes.ts'
import { resultOf, spreadOf } from '../results.ts'
import type { Result, ServiceFigures } from '../results.ts'
import {
  inputSettings,
  inWorld,
  createFleetOutput,
  makeInputs,
  fleetNameOf,
  services,
} from './streams.ts'

const few = 10
const many = 1_000
const manyResting = 150
const derivedEach = 2
/** The wait after the last stream's creation, until readers have settled. */
const calmDownMs = 10_000
const restMs = 20_000

export async function benchStreams(options: PartOptions): Promise<Result[]> {
  return inWorld(options, async (world, account) => {
    const results: Result[] = []
    const first = await account.input(fleetNameOf(0), inputSettings)
    let made = 1
    for (const count of [few, options.streams ?? many]) {
      const beganAt = performance.now()
      await makeInputs(account, made, count)
      const seconds = (performance.now() - beganAt) / 1_000
      options.log(`${count} input streams; ${((count - made) / seconds).toFixed(0)} made a second`)
      made = count
      const runs: Run[] = []
      const load = loadOf({
        port: Number(new URL(world.ingest.url).port),
        token: await account.token(first),
        type: 'application/json',
        bodies: (await clickstreamBodies()).json,
      })
      const { warmUpMs, measuredMs } = options
      for (let run = 0; run < options.runs; run += 1)
        runs.push(await measure(world.ingest.pid, { ...load, warmUpMs, measuredMs }))
      const figures = await startEach(world)
      options.log(inWords(`streams-${count}`, figures))
      results.push({ ...resultOf(`streams-${count}`, runs), services: figures })
    }
    return results
  })
}

export async function benchRest(options: PartOptions): Promise<Result[]> {
  return inWorld(options, async (world, account) => {
    const inputs = options.streams ?? manyResting
    await makeInputs(account, 0, inputs)
    const results: Result[] = []
    for (let derived = 0; derived <= derivedEach; derived += 1) {
      if (derived > 0) await createFleetOutput(account, inputs, derived)
      await delay(calmDownMs)
      const name = `rest-${inputs}-${inputs * derived}`
      const figures = await restOf(world)
      options.log(inWords(name, figures))
      const rss = Object.values(figures).reduce((sum, { rssMb: each }) => sum + each, 0)
      const none = spreadOf([0])
      results.push({
        name,
        runs: 1,
        eventsPerCpuSecond: none,
        cpuUsPerEvent: none,
        rssMb: Math.round(rss),
        errors: 0,
        services: figures,
      })
    }
    return results
  })
}

/** Starts one more replica of each service in turn. Measures its start time, and then its resource use. */
async function startEach(world: World): Promise<Record<string, ServiceFigures>> {
  const figures: Record<string, ServiceFigures> = {}
  for (const name of services) {
    const beganAt = performance.now()
    const replica = await world.replica(name)
    const startMs = performance.now() - beganAt
    figures[name] = { startMs: Math.round(startMs), ...sizeOf(replica.pid) }
    await replica.stop()
  }
  return figures
}

async function restOf(world: World): Promise<Record<string, ServiceFigures>> {
  const before = services.map((name) => cpuSeconds(world[name].pid))
  await delay(restMs)
  return Object.fromEntries(
    services.map((name, i) => {
      const used = cpuSeconds(world[name].pid) - (before[i] ?? 0)
      const cpuPercent = Number(((used / restMs) * 100_000).toFixed(1))
      return [name, { cpuPercent, ...sizeOf(world[name].pid) }]
    }),
  )
}

const sizeOf = (pid: number) => ({ rssMb: Math.round(rssMb(pid)), sockets: countSockets(pid) })

function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((fd) => isSocket(`${folder}/${fd}`)).length
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    return false // the file was closed meanwhile
  }
}

function inWords(name: string, figures: Record<string, ServiceFigures>): string {
  const each = Object.entries(figures).map(([service, figure]) => {
    const parts = [
      figure.startMs === undefined ? '' : `ready in ${figure.startMs} ms, `,
      figure.cpuPercent === undefined ? '' : `${figure.cpuPercent} % of a core, `,
      `${figure.rssMb} MB, ${figure.sockets} sockets`,
    ]
    return `${service} ${parts.join('')}`
  })
  return `${name}: ${each.join('; ')}`
}

// The load generator, a separate process. It opens connections and streams, and sends bodies in turn, for a warm-up and
// then a measured time. It prints when the measured time starts and ends, and then the results. It sends the next
// request after each response, or requests at a fixed rate.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openLoadConnection } from './connection.ts'
import type { LoadConnection } from './connection.ts'
import { recordHeaders } from './header-blocks.ts'
import type { HeaderList } from './header-blocks.ts'
import { startPacing, writeDigits } from './pacing.ts'
import { createSamples } from './samples.ts'

export type LoadPlan = {
  port: number
  connections: number
  streams: number
  headers: HeaderList
  /** A file of bodies, each preceded by its length (uint32be). */
  bodiesFile: string
  warmUpMs: number
  measuredMs: number
  /** The expected body of every response. Any other body is an error. */
  answer?: string
  /** Requests per second over all connections. By default the next request follows each response. */
  rate?: number
  /** The position of a number's digits in each body. The number increases with every request. */
  counter?: { at: number; digits: number }
  /** The measurement continues until this many requests are answered. */
  answersMin?: number
}

export type LoadResult = {
  seconds: number
  /** The number of 2xx responses in the measured time. */
  answered: number
  /** Other statuses, wrong bodies and closed connections, over the whole time. */
  errors: Record<string, number>
  p50Ms: number
  p99Ms: number
}

function readBodies(file: string): Buffer[] {
  const bytes = readFileSync(file)
  const bodies: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    bodies.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return bodies
}

/** Returns a function for the next body. The caller must copy the body before the next call. */
function inTurn(bodies: readonly Buffer[], counter: LoadPlan['counter']): () => Buffer {
  let nextBody = 0
  return () => {
    const number = nextBody++
    const next = bodies[number % bodies.length] ?? Buffer.alloc(0)
    if (counter !== undefined) writeDigits(next, counter, number)
    return next
  }
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const body = inTurn(readBodies(plan.bodiesFile), plan.counter)
  const latencies = createSamples()
  const errors: Record<string, number> = {}
  let isMeasuring = false
  let isOver = false

  const note = (what: string): void => void (errors[what] = (errors[what] ?? 0) + 1)
  const onAnswer = (status: number, startedAt: number): void => {
    if (status < 200 || status > 299) note(`status ${status}`)
    else if (isMeasuring) latencies.add(performance.now() - startedAt)
  }

  const onData = (piece: Buffer): void => {
    if (isOther(piece, plan.answer)) note(`answer ${piece.toString().slice(0, 100)}`)
  }
  const headers = await recordHeaders(plan.headers)
  const connections: LoadConnection[] = []
  for (let i = 0; i < plan.connections; i++) {
    let room = (): void => {}
    const connection = await openLoadConnection({
      port: plan.port,
      headers,
      streamsMax: plan.streams,
      onAnswer,
      onData,
      onRoom: () => room(),
      onEnd: (why) => (isOver ? undefined : note(why)),
    })
    connections.push(connection)
    if (plan.rate !== undefined) continue
    room = () => (isOver ? undefined : fill(connection, body))
    room()
    connection.flush()
  }
  const pace =
    plan.rate === undefined ? undefined : startPacing(connections, { rate: plan.rate, body })

  await delay(plan.warmUpMs)
  isMeasuring = true
  const startedAt = performance.now()
  process.stdout.write('measuring\n')
  do await delay(plan.measuredMs)
  while (latencies.count() < (plan.answersMin ?? 0) && Object.keys(errors).length === 0)
  isMeasuring = false
  const seconds = (performance.now() - startedAt) / 1000
  process.stdout.write('measured\n')
  isOver = true
  pace?.stop()
  for (const connection of connections) connection.close()
  return { seconds, errors, ...quantilesOf(latencies.sorted()) }
}

function fill(connection: LoadConnection, body: () => Buffer): void {
  const now = performance.now()
  while (connection.request(body(), now)) continue
}

const isOther = (piece: Buffer, answer: string | undefined): boolean =>
  answer !== undefined && piece.length > 0 && piece.toString() !== answer

function quantilesOf(sorted: ArrayLike<number>): Omit<LoadResult, 'seconds' | 'errors'> {
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { answered: sorted.length, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
}

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: load.ts PLAN, the plan as JSON')
const result = await run(JSON.parse(planText) as LoadPlan)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)

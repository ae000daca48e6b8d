// Part `forgetting`: the cost of erasing many people of one stream in thirteen eras, in time, in bytes of `weir.keys`
// and in memory of the services; and whether this slows down the encryption of other people's events.
import { createKafka, createLogScan } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import {
  account as accountAt,
  clockShiftedBy,
  signUp,
  expectStatus,
  kafkaBrokers,
  request,
  startWorld,
} from '@weir/testkit'
import type { Account, TestStream, World } from '@weir/testkit'
import { clickstreamBodies } from '../events.ts'
import { partitions, unlimited } from '../filled-stream.ts'
import { loadOf } from '../load-of.ts'
import { measure } from '../measure.ts'
import { benchOthersMeanwhile } from './others-meanwhile.ts'
import type { Run } from '../measure.ts'
import type { PartOptions } from '../part.ts'
import { measuredCore, pin, rssMb } from '../processes.ts'
import { resultOf, timesOf } from '../results.ts'
import type { Result } from '../results.ts'

const eraMs = 2_764_800_000
/** auth creates the present era and the next. So each of these starts creates two past eras. */
const erasBack = [11, 9, 7, 5, 3, 1]
const stream = 'bench'
const valuesMax = 100
/** The measured sizes exceed Weir's default limit. */
const keyBytesMax = String(4_294_967_296)
/** The maximum number of people who are erased one by one, to measure a single erasure. */
const singlesMax = 200
/** The pseudonyms of one data subject, as many as before the bound existed. */
const pseudonyms = 30_000

export async function benchForgetting(options: PartOptions): Promise<Result[]> {
  const { erasures, log } = options
  const made = await makePastEras()
  const world = await startWorld({
    ERASURES_MAX: String(erasures),
    SUBJECT_LINKS_MAX: String(pseudonyms),
    ACCOUNT_KEY_BYTES_MAX: keyBytesMax,
    KEY_BYTES_MAX: keyBytesMax,
  })
  try {
    const { input } = made
    const account = accountAt(world.auth.url, made.account.billingId, made.account.apiKey)
    pin(world.ingest.pid, measuredCore)
    const token = await account.token(input)
    const seal = await prepareSealing(options, { world, token })
    await tellSize(world, log, 'before')
    const before = await seal()

    const values = Array.from({ length: erasures }, (_, i) => `leaver-${i}`)
    const singles = Math.min(singlesMax, Math.ceil(erasures / 10))
    const erase = eraserOf(world, account)
    const one: number[] = []
    for (const value of values.slice(0, singles)) one.push(await erase({ keyFieldValue: value }))
    const hundred: number[] = []
    for (let at = singles; at < values.length; at += valuesMax)
      hundred.push(await erase({ keyFieldValues: values.slice(at, at + valuesMax) }))
    await untilApplied(world, account)

    const after = await seal()
    await tellSize(world, log, `after ${erasures} erasures`)
    return [
      resultOf('sealing-before', before),
      resultOf('sealing-after', after),
      timesOf('erasure-of-one', one, rssMb(world.auth.pid)),
      timesOf(`erasure-of-${valuesMax}`, hundred, rssMb(world.auth.pid)),
      ...(await benchOthersMeanwhile(world, { pseudonyms, log })),
    ]
  } finally {
    await world.stop()
  }
}

type Made = { account: Account; input: TestStream }

/** Creates a stream that has existed through all of these eras. */
async function makePastEras(): Promise<Made> {
  let made: Made | undefined
  for (const eras of erasBack) {
    const world = await startWorld(clockShiftedBy(-eras * eraMs))
    try {
      made ??= await makeStream(world)
    } finally {
      await world.stop()
    }
  }
  if (made === undefined) throw new Error('there are no past eras')
  return made
}

async function makeStream(world: World): Promise<Made> {
  const account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const limits = { limits: unlimited, keyRetentionDays: 3_650 }
  return { account, input: await account.input(stream, { partitions, ...limits }) }
}

/** Events of people who aren't erased. */
async function prepareSealing(
  { runs, warmUpMs, measuredMs }: PartOptions,
  { world, token }: { world: World; token: string },
): Promise<() => Promise<Run[]>> {
  const port = Number(new URL(world.ingest.url).port)
  const bodies = (await clickstreamBodies()).json
  const load = { ...loadOf({ port, token, type: 'application/json', bodies }), measuredMs }
  return async () => {
    const measured: Run[] = []
    await measure(world.ingest.pid, { ...load, warmUpMs })
    for (let count = 0; count < runs; count += 1)
      measured.push(await measure(world.ingest.pid, { ...load, warmUpMs: 500 }))
    return measured
  }
}

/** Resolves with the time until the erasure was accepted, in ms. */
const eraserOf = ({ auth }: World, { apiKey }: Account) => {
  return async (body: object): Promise<number> => {
    const startedAt = performance.now()
    const path = `/v2/streams/${stream}/erasures`
    const asked = { ...body, evenIfNoneFound: true }
    expectStatus(await request(auth.url, apiKey, 'POST', path, asked), 201)
    return performance.now() - startedAt
  }
}

async function untilApplied({ auth }: World, { apiKey }: Account): Promise<void> {
  const isApplied = async (): Promise<boolean> => {
    const path = `/v2/streams/${stream}/erasures`
    const { text } = await request(auth.url, apiKey, 'GET', path)
    return !text.includes('"state":"accepted"')
  }
  await pollUntil(isApplied, { deadlineMs: 60_000, everyMs: 500 })
}

/** Logs the size of the newest version of each key, and of everything in the log. */
async function tellSize(world: World, log: (line: string) => void, when: string): Promise<void> {
  const brokers = kafkaBrokers()
  const kafka = createKafka({ brokers, clientId: 'bench', log: createLog('bench', 'silent') })
  const logScan = createLogScan(kafka)
  const newest = new Map<string, number>()
  let all = 0
  try {
    await logScan.scan('weir.keys', ({ key, value }) => {
      const bytes = key.length + (value?.length ?? 0)
      all += bytes
      newest.set(key, bytes)
    })
  } finally {
    await logScan.close()
  }
  const live = [...newest.values()].reduce((sum, bytes) => sum + bytes, 0)
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  const memory = (['auth', 'ingest', 'output'] as const)
    .map((name) => `${name} ${Math.round(rssMb(world[name].pid))} MB`)
    .join(', ')
  log(`${when}: weir.keys ${mb(live)} in ${newest.size} records (log ${mb(all)}); ${memory}`)
}

// Part `forgetting`: what it costs to erase many people from a stream with thirteen eras, in time, in bytes of
// `weir.keys` and in memory of the services (two replicas each). Also whether erasures slow down the encryption of
// other people's events.
import { createKafka, createLogScan } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import {
  account as accountAt,
  asObject,
  counterOf,
  clockShiftedBy,
  signUp,
  expectStatus,
  kafkaBrokers,
  request,
  startWorld,
  textIn,
} from '@weir/testkit'
import type { Account, TestStream, World } from '@weir/testkit'
import { clickstreamBodies } from '../events.ts'
import { partitions, unlimited } from '../filled-stream.ts'
import { loadOf } from '../load-of.ts'
import { measure } from '../measure.ts'
import { services } from '../many-streams/streams.ts'
import type { Run } from '../measure.ts'
import type { PartOptions } from '../part.ts'
import { measuredCore, pin, rssMb } from '../processes.ts'
import { resultOf, timesOf } from '../results.ts'
import type { Result } from '../results.ts'
import { benchOthersMeanwhile } from './others-meanwhile.ts'

const eraMs = 2_764_800_000
/** Auth runs once for each number, with its clock so many eras back, and creates that era and the next one. */
const erasBack = [11, 9, 7, 5, 3, 1]
const stream = 'bench'
const valuesMax = 100
/** The measured sizes exceed Weir's default limit. */
const keyBytesMax = String(4_294_967_296)
/** The maximum number of people who are erased one by one, to measure a single erasure. */
const singlesMax = 200
/** The pseudonyms of one data subject, far more than Weir's default limit. */
const pseudonyms = 30_000

export async function benchForgetting(options: PartOptions): Promise<Result[]> {
  const { erasures: people, only, log } = options
  const made = await makePastEras()
  const world = await startWorld({
    ERASURES_MAX: String(people),
    SUBJECT_LINKS_MAX: String(pseudonyms),
    ACCOUNT_KEY_BYTES_MAX: keyBytesMax,
    KEY_BYTES_MAX: keyBytesMax,
  })
  try {
    return [
      ...(await benchPeople(options, world, made)),
      ...('others'.startsWith(only) ? await benchOthersMeanwhile(world, { pseudonyms, log }) : []),
    ]
  } finally {
    await world.stop()
  }
}

async function benchPeople(options: PartOptions, world: World, made: Made): Promise<Result[]> {
  const { erasures: people, log } = options
  const startMore = () => Promise.all(services.map((name) => world.replica(name)))
  const replicas = [...services.map((name) => world[name]), ...(await startMore())]
  const account = accountAt(world.auth.url, made.account.billingId, made.account.apiKey)
  pin(world.ingest.pid, measuredCore)
  // A separate stream, so that auth doesn't search its many events before each erasure.
  const others = await account.input('others', { partitions, limits: unlimited })
  const sealOthers = await prepareSealing(options, { world, token: await account.token(others) })
  const before = await sealOthers()
  await tellSize(replicas, log, 'before')

  const startedAt = performance.now()
  const { one, hundred, meanwhile } = await erasePeople(
    eraserOf(world, account),
    people,
    sealOthers,
  )
  await untilApplied(account)
  const seconds = (performance.now() - startedAt) / 1_000
  log(`${people} erasures were applied ${seconds.toFixed(1)} s after the first one began`)
  await tellSize(replicas, log, `after ${people} erasures`)
  await tellSize(await startMore(), log, 'in replicas that start now')
  const token = await account.token(made.input)
  const after = await (await prepareSealing(options, { world, token }))()
  return [
    resultOf('sealing-before', before),
    resultOf('sealing-meanwhile', meanwhile),
    resultOf('sealing-after', after),
    timesOf('erasure-of-one', one.map(acceptedMs), rssMb(world.auth.pid)),
    timesOf('erasure-of-one-applied', await Promise.all(one.map(appliedMs(account)))),
    timesOf(`erasure-of-${valuesMax}`, hundred.map(acceptedMs), rssMb(world.auth.pid)),
  ]
}

/** Erases some people one by one. Then erases the rest, a hundred per request, while `work` runs. */
async function erasePeople<Meanwhile>(
  erase: (body: object) => Promise<Erased>,
  people: number,
  work: () => Promise<Meanwhile>,
) {
  const values = Array.from({ length: people }, (_, i) => `leaver-${i}`)
  const singles = Math.min(singlesMax, Math.ceil(people / 10))
  const one: Erased[] = []
  for (const value of values.slice(0, singles)) one.push(await erase({ keyFieldValue: value }))
  const hundred: Erased[] = []
  const eraseOthers = async (): Promise<void> => {
    for (let at = singles; at < values.length; at += valuesMax)
      hundred.push(await erase({ keyFieldValues: values.slice(at, at + valuesMax) }))
  }
  const [meanwhile] = await Promise.all([work(), eraseOthers()])
  return { one, hundred, meanwhile }
}

type Made = { account: Account; input: TestStream }

/** Creates a stream in the earliest era, and then the keys of all eras up to now. */
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

/** Returns a function that measures ingest with events of people who are not erased. */
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

type Erased = { readonly id: string; readonly acceptedMs: number }

const acceptedMs = (erased: Erased): number => erased.acceptedMs

const erasures = `/v2/streams/${stream}/erasures`

const eraserOf = ({ auth }: World, { apiKey }: Account) => {
  return async (body: object): Promise<Erased> => {
    const startedAt = performance.now()
    const asked = { ...body, evenIfNoneFound: true }
    const reply = await request(auth.url, apiKey, 'POST', erasures, asked)
    const tookMs = performance.now() - startedAt
    return { id: textIn(expectStatus(reply, 201).body, 'id'), acceptedMs: tookMs }
  }
}

const appliedMs =
  (account: Account) =>
  async ({ id }: Erased): Promise<number> => {
    const { body } = expectStatus(await account.call('GET', `${erasures}/${id}`), 200)
    const at = (state: string) =>
      Date.parse(textIn(asObject(asObject(body['states'])[state]), 'at'))
    return at('applied') - at('accepted')
  }

async function untilApplied(account: Account): Promise<void> {
  const isApplied = async () =>
    !(await account.call('GET', erasures)).text.includes('"state":"accepted"')
  await pollUntil(isApplied, { deadlineMs: 300_000, everyMs: 500 })
}

type Replica = Pick<World['auth'], 'pid' | 'adminUrl'>

/** Returns the resident memory, and how much V8's heap and buffers use. */
async function memoryOf(replica: Replica): Promise<string> {
  const mbOf = async (name: string) => Math.round((await counterOf(replica, name)) / 1_048_576)
  const heap = await mbOf('nodejs_heap_size_used_bytes')
  const buffers = await mbOf('nodejs_external_memory_bytes')
  const total = await mbOf('nodejs_heap_size_total_bytes')
  return `${Math.round(rssMb(replica.pid))} MB (heap ${heap} of ${total}, buffers ${buffers})`
}

/** Logs the size of `weir.keys`, with and without replaced records, and the memory of the replicas. */
async function tellSize(
  replicas: readonly Replica[],
  log: (line: string) => void,
  when: string,
): Promise<void> {
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
  const memory = (await Promise.all(replicas.map(memoryOf))).join('; ')
  log(
    `${when}: weir.keys ${mb(live)} in ${newest.size} records (log ${mb(all)}); ${services.join(', ')}: ${memory}`,
  )
}

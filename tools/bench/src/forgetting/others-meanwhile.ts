// What others feel while a data subject with very many pseudonyms is erased: the times of their tokens, their events and their
// management, before it and meanwhile, in one run.
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  createAccount,
  exampleContract,
  exampleEvent,
  expectStatus,
  request,
} from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { unlimited } from '../filled-stream.ts'
import { rssMb } from '../processes.ts'
import { timesOf } from '../results.ts'
import type { Result } from '../results.ts'

const schemaId = 'demo_v1'
const eventsAtOnce = 1_000
/** Of each kind of request. */
const askEveryMs = 20
const beforeMs = 10_000
const erasedWithinMs = 600_000

type Lane = 'token' | 'event' | 'management'
type Times = Record<Lane, number[]>

export async function benchOthersMeanwhile(
  world: World,
  { pseudonyms, log }: { pseudonyms: number; log: (line: string) => void },
): Promise<Result[]> {
  const crowded = await makeCrowd(world, pseudonyms)
  const others = await makeOthers(world)
  try {
    const before = await others.askUntil(new Promise((resolve) => setTimeout(resolve, beforeMs)))
    const startedAt = performance.now()
    const meanwhile = await others.askUntil(eraseAll(crowded))
    const seconds = (performance.now() - startedAt) / 1_000
    log(`${pseudonyms} pseudonyms of one subject were erased in ${seconds.toFixed(1)} s`)
    return (['token', 'event', 'management'] as const).flatMap((lane) => [
      timesOf(`others-${lane}-before`, before[lane], rssMb(world.auth.pid)),
      timesOf(`others-${lane}-meanwhile`, meanwhile[lane], rssMb(world.auth.pid)),
    ])
  } finally {
    others.close()
  }
}

/** An account with one data subject that has that many pseudonyms. */
async function makeCrowd({ auth, ingest }: World, pseudonyms: number): Promise<Account> {
  const account = await createAccount(auth.url)
  const example = await exampleContract(schemaId)
  const subject = `${account.billingId.replaceAll('-', '_')}-demo`
  const schema = { ...asObject(example['schema']), schema_registry_ref: `${subject}/latest` }
  const body = { ...example, schema, data_subject_field: 'unique_identifier' }
  expectStatus(await account.call('POST', '/v2/contracts', body), 201)
  const token = await account.token(await account.input('crowd', { limits: unlimited }))
  const event = await exampleEvent(schemaId)
  const producer = await connectProducer(ingest.url)
  const headers = { 'content-type': 'application/x-ndjson' }
  for (let at = 0; at < pseudonyms; at += eventsAtOnce) {
    const count = Math.min(eventsAtOnce, pseudonyms - at)
    const lines = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ ...event, consistent_value: `device-${at + index}` }),
    )
    const sent = await producer.send(lines.join('\n'), {
      token,
      schemaId,
      path: '/events',
      headers,
    })
    if (sent.status !== 200 || !sent.body.includes(`"accepted":${count}`))
      throw new Error(`an event was not stored: ${sent.body.slice(0, 200)}`)
  }
  producer.close()
  return account
}

async function eraseAll(account: Account): Promise<void> {
  const path = '/v2/streams/crowd/erasures'
  expectStatus(await account.call('POST', path, { subject: 'unique-1' }), 201)
  const isApplied = async (): Promise<boolean> =>
    !(await account.call('GET', path)).text.includes('"state":"accepted"')
  await pollUntil(isApplied, { deadlineMs: erasedWithinMs, everyMs: 500 })
}

async function makeOthers({ auth, ingest }: World) {
  const account = await createAccount(auth.url)
  await account.contract(schemaId)
  const stream = await account.input('calm', { limits: unlimited })
  const token = await account.token(stream)
  const producer = await connectProducer(ingest.url)
  const event = await exampleEvent(schemaId)
  const { billingId, apiKey } = account
  const { clientId, clientSecret } = stream
  const lanes: Record<Lane, () => Promise<number>> = {
    token: async () =>
      (await request(auth.url, '', 'POST', '/auth', { billingId, clientId, clientSecret })).status,
    event: async () => (await producer.send(event, { token, schemaId })).status,
    management: async () => (await request(auth.url, apiKey, 'GET', '/v2/streams')).status,
  }
  return {
    async askUntil(end: Promise<unknown>): Promise<Times> {
      const times: Times = { token: [], event: [], management: [] }
      let isOver = false
      const asking = (['token', 'event', 'management'] as const).map(async (lane) => {
        while (!isOver) {
          const startedAt = performance.now()
          const status = await lanes[lane]()
          if (status >= 300) throw new Error(`${lane} was answered ${status}`)
          const took = performance.now() - startedAt
          times[lane].push(took)
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, askEveryMs - took)))
        }
      })
      await Promise.race([end, Promise.all(asking)])
      isOver = true
      await Promise.all(asking)
      return times
    },
    close: () => producer.close(),
  }
}

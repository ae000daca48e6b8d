// How a checked event becomes a record, with real encryption and without Kafka.
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Event } from '@weir/contracts'
import { createSealer, eraAt, eraKeys, makeEraParts, termKeys, termOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { partitionOf } from '@weir/kafka'
import { unframe } from '@weir/schema-registry'
import type { ProduceRecord } from '@weir/kafka'
import type { InputStream } from '@weir/control-state'
import { AppError } from '@weir/kit'
import { asObject, exampleEvent } from '@weir/testkit'
import type { ActiveContract } from '../../src/event/active-contracts.ts'
import { createStore } from '../../src/event/store.ts'
import type { SubjectOfEvent } from '../../src/event/subjects.ts'
import { activeContract, inputStream } from '../support/records.ts'

const stream = inputStream()
const nowMs = Date.UTC(2027, 0, 15, 12)
const era = eraAt(nowMs)

let plain: ActiveContract
let withSubject: ActiveContract
beforeAll(async () => {
  plain = await activeContract()
  withSubject = await activeContract({ dataSubjectField: 'customer/id' })
})

function keysWithout(...missing: readonly string[]): EraKeys {
  const parts = makeEraParts([0, 1], randomBytes)
  for (const part of missing) parts.delete(part)
  const tree = parts.get('tree')
  const term = termKeys({
    streamId: stream.streamId,
    term: termOf(era),
    trees: tree === undefined ? [] : [['', () => tree]],
    link: parts.get('link'),
  })
  return eraKeys(term, {
    era,
    label: parts.get('label'),
    level: (level) => parts.get(`level.${level}`),
  })
}

type Keeping = { keeping?: Promise<void>; streamNow?: InputStream }
type Sent = { topic: string; partition: number; record: ProduceRecord }

/** Returns a store whose keys may appear at a refresh. */
function storeWith(
  before: EraKeys | undefined,
  after = before,
  { keeping, streamNow = stream }: Keeping = {},
) {
  let keys = before
  let looks = 0
  const sent: Sent[] = []
  const asked: unknown[] = []
  const kept: SubjectOfEvent[] = []
  const store = createStore({
    follower: {
      keyring: { eraKeys: (...which) => (asked.push(which), keys) },
      // New keys are usable once their wrapping key is unwrapped.
      wrappingKeys: { settled: async () => void (looks > 0 && (keys = after)) },
      tables: { streamById: () => streamNow },
      async refresh() {
        looks += 1
      },
    },
    sealer: createSealer({ entriesMax: 10 }),
    subjects: {
      keep(subject) {
        kept.push(subject)
        return keeping
      },
    },
    producer: {
      post({ topic, partition }, record, waiter) {
        sent.push({ topic, partition, record })
        waiter.resolve()
      },
    },
  })
  return {
    sent,
    asked,
    kept,
    looks: () => looks,
    store: (event: Event, key = 'session-0001', active = plain) =>
      new Promise<void>((resolve, reject) => {
        const checked = { stream, active, event, key, bytes: 1 }
        store(checked, nowMs, { resolve, reject })?.catch(reject)
      }),
  }
}

const readEvent = async (parts: object = {}): Promise<Event> =>
  plain.contract.readJson(
    Buffer.from(JSON.stringify({ ...(await exampleEvent('clickstream')), ...parts })),
  )

test('one reading of the clock stamps the event, the record and the epoch of its keys', async () => {
  const { store, sent, asked } = storeWith(keysWithout())
  await store(await readEvent())
  const [{ topic, partition, record } = { topic: '', partition: 0, record: undefined }] = sent
  if (record === undefined) throw new Error('nothing was sent')
  const { schemaId, payload } = unframe(Buffer.from(record.value))
  const event = asObject(plain.contract.toPlain(plain.contract.decode(payload)))
  expect(asked).toEqual([['acme', stream.streamId, era]])
  expect(asObject(event['svcMeta'])).toMatchObject({ timestamp: nowMs, schemaId: 'clickstream' })
  expect([topic, schemaId, record.timestampMs]).toEqual(['acme.clicks', 7, nowMs])
  expect(partition).toBe(partitionOf(String(record.key), 3))
})

test.each([['link'], ['level.0'], ['level.1']])(
  'a part of the keys that is not there yet, %s, is looked for once more, and the event sealed once',
  async (part) => {
    const { store, sent, looks } = storeWith(keysWithout(part), keysWithout())
    await store(await readEvent())
    expect(looks()).toBe(1)
    expect(sent).toHaveLength(1)
  },
)

test.each([['link'], ['label'], ['tree'], ['level.0'], ['level.1']])(
  'without the part %s nothing is stored',
  async (part) => {
    const { store, sent } = storeWith(keysWithout(part))
    await expect(store(await readEvent())).rejects.toMatchObject({
      code: expect.stringMatching(/^(unavailable|fieldcrypt.key_unavailable)$/),
    })
    expect(sent).toEqual([])
  },
)

test('without any keys nothing is stored', async () => {
  const { store, sent, looks } = storeWith(undefined)
  await expect(store(await readEvent())).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The keys of the stream clicks do not exist yet; try again',
  })
  expect([looks(), sent]).toEqual([1, []])
})

test('the person behind an equal key field value keeps one key link, another has another', async () => {
  const { store, sent } = storeWith(keysWithout())
  for (const key of ['one', 'one', 'two'])
    await store(await readEvent({ producerSessionId: key }), key)
  const [first, second, third] = sent.map(({ record }) => String(record.key))
  expect(second).toBe(first)
  expect(third).not.toBe(first)
})

test('an event of a data subject is not sent before its link is kept', async () => {
  const { promise: keeping, resolve } = Promise.withResolvers<void>()
  const { store, sent, kept } = storeWith(keysWithout(), undefined, { keeping })
  const storing = store(await readEvent(), 'device-1', withSubject)
  expect([kept.map(({ subject }) => subject), sent]).toEqual([['customer-00042'], []])
  resolve()
  await storing
  expect(sent).toHaveLength(1)
})

test('an event whose data subject could not be kept is not sent', async () => {
  const event = await readEvent()
  const keeping = Promise.reject(new AppError('kafka.unavailable', 'no broker'))
  const { store, sent } = storeWith(keysWithout(), undefined, { keeping })
  await expect(store(event, 'device-1', withSubject)).rejects.toMatchObject({
    code: 'kafka.unavailable',
  })
  expect(sent).toEqual([])
})

test('a stream that is deleted while its event waits gets nothing more', async () => {
  const streamNow = inputStream({ state: 'deleting' })
  const keeping = Promise.resolve()
  const { store, sent } = storeWith(keysWithout(), undefined, { keeping, streamNow })
  await expect(store(await readEvent(), 'device-1', withSubject)).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(sent).toEqual([])
})

test('of a contract without data subjects nothing is kept', async () => {
  const { store, kept } = storeWith(keysWithout())
  await store(await readEvent())
  expect(kept).toEqual([])
})

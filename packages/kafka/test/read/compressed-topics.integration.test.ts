// Topics whose broker compresses what was written plain, in each codec that Kafka has, looked at by every kind of
// reader of this package. The one who compresses is Kafka itself.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { followTopics } from '../../src/read/follower.ts'
import { createLogScan } from '../../src/read/log-scan.ts'
import { createRangeReader } from '../../src/read/read-range.ts'
import { tailTopic } from '../../src/read/tail.ts'
import { makeDerivation } from '../derive/derivation.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  makeTopic,
  readAll,
  uniqueName,
  writeTo,
} from '../support.ts'

const kafka = connect()
let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(() => {
  admin = createAdmin(kafka)
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

afterAll(async () => {
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

const codecs = ['gzip', 'snappy', 'lz4', 'zstd']
/** Some compress well, some hardly; the last one takes several blocks of every codec. */
const values = [
  'short',
  'x'.repeat(5_000),
  noise(3_000),
  `${'abc'.repeat(100_000)}${noise(70_000)}`,
]

function noise(length: number): string {
  let state = 7
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return Array.from({ length }, () => String.fromCharCode(33 + (next() % 90))).join('')
}

const within = { deadlineMs: 15_000, everyMs: 20 }

test.each(codecs)('records that Kafka has compressed with %s are derived', async (codec) => {
  const config = { 'compression.type': codec }
  const derivation = await makeDerivation(admin, 1, { input: config, output: config, dead: config })
  await derivation.write(0, ...values)
  const { deriver } = derivation.run(kafka)
  cleanUps.push(() => deriver.stop())
  await deriver.start()

  expect(await derivation.sourcesUntil(values.length)).toEqual(['0/0', '0/1', '0/2', '0/3'])
  expect(await readAll(derivation.outputTopic)).toEqual(values.map((value) => `${value}=${value}`))
})

test.each(codecs)(
  'a topic that Kafka compresses with %s is followed, tailed, scanned and read',
  async (codec) => {
    // Given
    const topic = await makeTopic(admin, `by-${codec}`, 1, { 'compression.type': codec })
    await writeTo(
      topic,
      ...values.map((value, index) => ({ key: `k${index}`, value, partition: 0 })),
    )
    const followed: string[] = []
    const tailed: string[] = []
    const scanned: string[] = []
    const read: string[] = []

    // When
    const follower = followTopics(kafka, {
      topics: [topic],
      groupPrefix: uniqueName('table'),
      onRecord: ({ value }) => followed.push(String(value)),
      onReset: () => undefined,
    })
    cleanUps.push(() => follower.close())
    await follower.start()
    const tail = tailTopic(kafka, {
      topic,
      fromOffsets: [0n],
      groupPrefix: uniqueName('tail-group'),
      onRecords: (_, records) => tailed.push(...records.map(({ value }) => String(value))),
      onStopped: () => undefined,
    })
    cleanUps.push(() => tail.close())
    const scan = createLogScan(kafka)
    cleanUps.push(() => scan.close())
    await scan.scan(topic, ({ value }) => scanned.push(String(value)))
    const range = createRangeReader(kafka)
    cleanUps.push(() => range.close())
    await range.read({ topic, partition: 0, from: 0n, to: 4n }, (records) => {
      read.push(...records.map(({ value }) => String(value)))
    })
    await pollUntil(() => tailed.length >= values.length, { ...within, what: 'the tail' })

    // Then
    expect({ followed, tailed, scanned, read }).toEqual({
      followed: values,
      tailed: values,
      scanned: values,
      read: values,
    })
  },
)

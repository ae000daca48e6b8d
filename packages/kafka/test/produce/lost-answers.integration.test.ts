// The producer behind a network that loses requests or responses, and across a restart of the broker. A retried batch
// is stored once.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { delay, pollUntil } from '@weir/kit'

import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer } from '../../src/produce/types.ts'
import { connect, uniqueName } from '../support.ts'
import { lookFromOutside, startOwnBroker, valuesIn } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { startProxy } from '../support-proxy.ts'
import type { Proxy } from '../support-proxy.ts'

const TEST_MS = 180_000

let broker: OwnBroker
let proxy: Proxy
let topic: string
const producers: BatchProducer[] = []

beforeAll(async () => {
  proxy = await startProxy(() => Number(broker.brokers[0]?.split(':')[1]))
  const advertised = `PLAIN://127.0.0.1:${proxy.port}`
  broker = await startOwnBroker({ 'advertised.listeners': advertised })
  topic = uniqueName('lost')
  await outside(({ makeTopic }) => makeTopic(topic, 2))
}, TEST_MS)

afterEach(async () => {
  proxy.lose('nothing')
  for (const one of producers.splice(0)) await one.close()
})

afterAll(async () => {
  await broker.stop()
  await proxy.close()
}, TEST_MS)

async function outside<T>(
  look: (outside: Awaited<ReturnType<typeof lookFromOutside>>) => Promise<T>,
): Promise<T> {
  const looking = await lookFromOutside(broker.brokers)
  try {
    return await look(looking)
  } finally {
    await looking.close()
  }
}

const logOf = async (partition: number): Promise<string[]> =>
  valuesIn(await outside(({ readLog }) => readLog(topic)), partition)

function producer(): BatchProducer {
  const made = createBatchProducer(connect(broker.brokers), {
    produceTimeoutMs: 60_000,
    inFlightBytesMax: 10_000_000,
  })
  producers.push(made)
  return made
}

const event = (value: string) => ({
  key: 'key',
  value: Buffer.from(value),
  headers: {},
  timestampMs: Date.now(),
})

test.each(['asked', 'answered'] as const)(
  'a batch whose connection is cut after it was written is stored once, if what is %s got lost',
  async (way) => {
    const sending = producer()
    await sending.send(topic, 0, event(`${way} before`))
    const before = await logOf(0)

    proxy.lose(way)
    const asked = proxy.asked()
    const sent = sending.send(topic, 0, event(`${way} lost`))
    await pollUntil(() => proxy.asked() > asked, { deadlineMs: 60_000, everyMs: 5 })
    // Time for the broker to append the batch.
    await delay(200)
    proxy.cut()
    await delay(200)
    proxy.lose('nothing')
    proxy.cut()
    await Promise.all([sent, sending.send(topic, 0, event(`${way} after`))])

    expect(await logOf(0)).toEqual([...before, `${way} lost`, `${way} after`])
  },
  TEST_MS,
)

test.each([
  ['told to end', () => Promise.resolve()],
  ['killed', () => broker.kill()],
])(
  'through a broker that is %s and started again every record of a load is stored once, in order',
  async (how, end) => {
    const sending = producer()
    const before = await logOf(1)
    const answers: Promise<void>[] = []
    let isStopped = false
    const loading = (async () => {
      while (!isStopped) {
        answers.push(sending.send(topic, 1, event(`${how} ${answers.length}`)))
        await delay(2)
      }
    })()
    await pollUntil(() => answers.length > 100, { deadlineMs: 60_000 })

    await end()
    await broker.start()
    const started = answers.length
    await pollUntil(() => answers.length > started + 100, { deadlineMs: 60_000 })
    isStopped = true
    await loading
    await Promise.all(answers)

    const wanted = answers.map((_, at) => `${how} ${at}`)
    expect(await logOf(1)).toEqual([...before, ...wanted])
  },
  TEST_MS,
)

// Two installations of Weir on one cluster. Their Kafka names differ only in the prefix, and one prefix is the
// beginning of the other. Each installation finds its dead letters by the full names of their sources, and derives them
// again into its own topic.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAdmin, createKafka, createTransactor } from '@weir/kafka'
import { BROKERS, log, readRecords, uniqueName } from '../../../../packages/kafka/test/support.ts'
import { retryOptions, withDeadLetters } from '../support/dead-letters.ts'

const open = (kafkaPrefix: string) => {
  const kafka = createKafka({ brokers: BROKERS, prefix: kafkaPrefix, clientId: 'weir-test', log })
  return { kafka, kafkaPrefix, admin: createAdmin(kafka) }
}
const outer = `${uniqueName('p')}.`
const [weir, neighbour] = [open(outer), open(`${outer}b.`)]
const topics = { inputTopic: 'in', outputTopic: 'out', deadLetterTopic: 'out.dead' }

beforeAll(async () => {
  for (const { admin } of [weir, neighbour])
    for (const topic of Object.values(topics)) await admin.topics.create({ topic, partitions: 1 })
})

afterAll(async () => {
  for (const { admin } of [weir, neighbour]) {
    await Promise.all(Object.values(topics).map((topic) => admin.topics.delete(topic)))
    await admin.close()
  }
})

/** Creates two dead letters with this source topic. */
async function deadLetter({ kafka }: typeof weir, sourceTopic: string): Promise<void> {
  const transactor = createTransactor(kafka, { transactionalId: 'dead', timeoutMs: 30_000 })
  await transactor.fence()
  const letters = [0, 1].map((offset) => ({
    topic: topics.deadLetterTopic,
    partition: 0,
    key: 'k',
    value: 'odd',
    headers: { 'svc-source': `${sourceTopic}/0/${offset}`, 'svc-error': 'corrupt' },
  }))
  await transactor.transaction((transaction) => transaction.send(letters))
  await transactor.close()
}

const pendingIn = (one: typeof weir): Promise<number | undefined> =>
  withDeadLetters(one, async (dead) => {
    const listed = await dead.list({ ...topics, max: 10, mayGoOn: () => true })
    return listed?.total
  })

async function sourcesIn({ kafkaPrefix }: typeof weir): Promise<string[]> {
  const records = await readRecords(kafkaPrefix + topics.outputTopic)
  return records.map(({ headers }) => String(headers['svc-source']))
}

test('under a prefix the own dead letters alone are found and derived again, under the full names of their sources', async () => {
  const { kafkaPrefix: inner, admin } = neighbour
  await Promise.all([deadLetter(weir, `${outer}in`), deadLetter(neighbour, `${inner}in`)])
  await deadLetter(neighbour, `${outer}in`)
  expect([await pendingIn(weir), await pendingIn(neighbour)]).toEqual([2, 2])

  await admin.groups.fence('weir.derive.out.0')
  await withDeadLetters(neighbour, (dead) => dead.retry(retryOptions(topics), () => undefined))

  expect(await sourcesIn(neighbour)).toEqual([`${inner}in/0/0`, `${inner}in/0/1`])
  expect(await sourcesIn(weir)).toEqual([])
  expect([await pendingIn(weir), await pendingIn(neighbour)]).toEqual([2, 0])
}, 180_000)

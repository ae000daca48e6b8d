// Two installations of Weir on one cluster. Their Kafka names differ only in the prefix, and each derives into its own
// partitions.
import { afterAll, expect, test } from '@jest/globals'
import { createLog } from '@weir/kit'
import { BROKERS, uniqueName } from '../../../../packages/kafka/test/support.ts'
import { createPartitionLogs } from '../../src/derive/partition-logs.ts'
import { openDerivedPartitions, notedNexts } from '../support/derived-partitions.ts'

const outer = `${uniqueName('p')}.`
const open = (prefix: string) => {
  const partitions = openDerivedPartitions(BROKERS, prefix)
  const { kafka, kafkaPrefix } = partitions
  const log = createLog('output-test', 'silent')
  return { partitions, logs: createPartitionLogs({ kafka, kafkaPrefix, log }) }
}
const [weir, neighbour] = [open(outer), open(`${outer}b.`)]

afterAll(async () => {
  for (const { partitions, logs } of [weir, neighbour]) {
    await logs.close()
    await partitions.close()
  }
})

const may = () => Promise.resolve(true)

test('under a prefix it goes on after its own logs and its own noted positions, and fences nobody else', async () => {
  const of = await weir.partitions.make()
  await neighbour.partitions.make(of)
  const theirs = await neighbour.logs.acquire(of, may)
  const { derived, epoch } = await weir.logs.acquire(of, may)
  await weir.partitions.append(of, derived, 7n)
  expect((await weir.logs.acquire(of, may)).next).toBe(8n)

  await weir.logs.note([{ of, next: 20n, end: 0n, epoch }])
  expect(await notedNexts(weir.logs, [of])).toEqual(new Map([[of, 20n]]))
  expect((await weir.logs.acquire(of, may)).next).toBe(20n)

  await neighbour.partitions.append(of, theirs.dead, 9n)
  expect(await notedNexts(neighbour.logs, [of])).toEqual(new Map())
  expect((await neighbour.logs.acquire(of, may)).next).toBe(10n)
})

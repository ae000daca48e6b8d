// A derived partition has one owner. An owner writes only when it is certain that the former owner can't.
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { BROKERS } from '../../../../packages/kafka/test/support.ts'
import { openDerivedPartitions, openReplicas } from '../support/derived-partitions.ts'

const partitions = openDerivedPartitions(BROKERS)
const replicas = openReplicas(partitions)
const { make, append } = partitions
const { other, open, own, nextOf, lines } = replicas

beforeEach(() => void lines.splice(0))

afterAll(async () => {
  await replicas.close()
  await partitions.close()
})

test('batches of a former owner are refused, and lie in no log', async () => {
  const of = await make()
  const former = await own(of)
  await append(of, former.derived, 7n)
  const owner = await own(of, other)
  for (const lane of [former.derived, former.dead])
    await expect(append(of, lane, 8n)).rejects.toMatchObject({ code: 'kafka.fenced' })
  await append(of, owner.derived, 9n)
  expect(await nextOf(of)).toBe(10n)
})

test('where Kafka fences nobody, as it has forgotten the former owner, the lease is waited out, and what was written meanwhile counts', async () => {
  const of = await make()
  const former = await own(of)
  await append(of, former.derived, 7n)
  const patient = open({ leaseMs: 5_000 })
  // Kafka treats this unknown id like one that it has forgotten.
  const acquiring = own({ ...of, transactionalId: `${of.transactionalId}x` }, patient)
  await pollUntil(() => lines.length > 0, { deadlineMs: 60_000 })
  expect(lines).toMatchObject([{ level: 'warn', stream: of.outputTopic, partition: 1 }])
  await append(of, former.derived, 8n)
  const owner = await acquiring
  expect(owner.next).toBe(9n)
  await append(of, owner.derived, 9n)
  await patient.close()
})

test('who waits for a lease stops waiting when it is closed', async () => {
  const of = await make()
  await append(of, (await own(of)).derived, 7n)
  const replica = open({ leaseMs: 600_000 })
  const renamed = { ...of, transactionalId: `${of.transactionalId}x` }
  const refused = own(renamed, replica).catch((error: unknown) => error)
  await pollUntil(() => lines.length > 0, { deadlineMs: 60_000 })
  await replica.close()
  expect(await refused).toMatchObject({ code: 'kafka.unavailable' })
})

test('who may not own is asked after the former owner was fenced, and gets nothing', async () => {
  const of = await make()
  const former = await own(of)
  await append(of, former.derived, 7n)
  const refused = other.acquire(of, async () => {
    const late = append(of, former.derived, 8n)
    await expect(late).rejects.toMatchObject({ code: 'kafka.fenced' })
    return false
  })
  await expect(refused).rejects.toMatchObject({ code: 'derive.may_not_own' })
  expect(await nextOf(of)).toBe(8n)
})

test('the position is read after it was asked who may own', async () => {
  const of = await make()
  const { next } = await other.acquire(of, async () => {
    await other.note([{ of, next: 12n, end: 0n, epoch: 1 }])
    return true
  })
  expect(next).toBe(12n)
})

test('what is closed writes no more, and acquires no more', async () => {
  const of = await make()
  const replica = open()
  const [first, second] = [await own(of, replica), await own(await make(), replica)]
  first.close()
  await expect(append(of, first.dead, 7n)).rejects.toMatchObject({ code: 'kafka.not_sent' })
  const acquiring = replica.acquire(of, async () => {
    void replica.close()
    return true
  })
  await expect(acquiring).rejects.toMatchObject({ code: 'kafka.unavailable' })
  await expect(append(of, second.derived, 7n)).rejects.toMatchObject({ code: 'kafka.not_sent' })
  await replica.close()
  await expect(own(of, replica)).rejects.toMatchObject({ code: 'kafka.unavailable' })
})

// Retries whose transaction marker is missing in one of the two logs. The next owner of the partition finds the outcome
// by `svc-source`.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createAdmin } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { createLog } from '@weir/kit'
import {
  formerOwner,
  verifyPartitions,
} from '../../../../packages/kafka/test/fence/former-owner.ts'
import { closeWriters, connect, deleteTopicsMade } from '../../../../packages/kafka/test/support.ts'
import { createPartitionLogs } from '../../src/derive/partition-logs.ts'
import { writeOrigin } from '../../src/records/headers.ts'
import { derive, list, retry } from '../support/dead-letters.ts'
import { makeDerivation } from '../support/derivation.ts'
import type { Derivation } from '../support/derivation.ts'

let admin: Admin
const cleanUps: (() => void)[] = []

beforeAll(async () => {
  admin = createAdmin(connect())
  await verifyPartitions(false)
})

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

afterAll(async () => {
  await verifyPartitions(true)
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

const HANGING = [
  ['derived record', 'deadLetterTopic', 'outputTopic'],
  ['dead letter’s marker', 'outputTopic', 'deadLetterTopic'],
] as const

type Hanging = { readonly ended: (typeof HANGING)[number][1]; readonly hanging: Hanging['ended'] }

/** Creates two dead letters, and a committed retry of the first. The retry's marker is missing in one log. */
async function interrupted({ ended, hanging }: Hanging): Promise<Derivation> {
  const derivation = await makeDerivation(admin)
  await derivation.write('odd-1', 'odd-2')
  const owner = await derive(derivation, 2)
  await owner.stop()
  const { of } = derivation
  const former = await formerOwner(connect(), of.transactionalId)
  cleanUps.push(former.close)
  const source = writeOrigin({ topic: of.inputTopic, partition: 0, offset: 0n })
  const headers = { 'svc-source': source, 'svc-retried': 'passed' }
  await former.join(of[ended])
  await former.write(of[ended], headers)
  await former.write(of[hanging], headers)
  await former.end(true)
  return derivation
}

test.each(HANGING)(
  'a retry whose %s lacks the end that the rest of it has counts as a whole',
  async (_, ended, hanging) => {
    const derivation = await interrupted({ ended, hanging })

    expect(await retry(derivation)).toEqual({ passed: 1, filtered: 0, failedAgain: 0 })

    expect(await derivation.sources()).toEqual([0, 1])
    expect((await list(derivation)).total).toBe(0)
  },
  60_000,
)

test.each(HANGING)(
  'who acquires a partition commits a retry whose %s lacks the end that the rest of it has',
  async (_, ended, hanging) => {
    const derivation = await interrupted({ ended, hanging })
    const log = createLog('test', 'silent')
    const logs = createPartitionLogs({ kafka: connect(), kafkaPrefix: '', log })

    const { next } = await logs.acquire(derivation.of, () => Promise.resolve(true))
    await logs.close()

    expect(next).toBe(2n)
    expect(await derivation.sourcesUntil(1)).toEqual([0])
    expect((await list(derivation)).sources).toEqual(['0/1'])
  },
  60_000,
)

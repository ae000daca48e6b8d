// What tests do with the dead letters of a derivation: create, list and retry them.
import { createAdmin, createRangeReader } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import { connect } from '../../../../packages/kafka/test/support.ts'
import { createDeadLetterTopics } from '../../src/dead-letters/dead-letter-topics.ts'
import type { DeadLetterTopics } from '../../src/dead-letters/dead-letter-topics.ts'
import type { RetryOptions, RetryOutcome } from '../../src/dead-letters/retry-partition.ts'
import { DeriveError } from '../../src/derive/errors.ts'
import type { DerivedPartition } from '../../src/derive/partition-logs.ts'
import type { Transform } from '../../src/derive/transform.ts'
import type { Derivation, Owner } from './derivation.ts'

/** Derives the existing records. Values that begin with `odd` can't be derived until they are retried with `mended`. */
export async function derive(derivation: Derivation, count: number): Promise<Owner> {
  const owner = derivation.start({
    derive(text) {
      if (text.startsWith('odd')) throw new DeriveError('derive.corrupt', 'an odd record')
    },
  })
  const within = { deadlineMs: 60_000, everyMs: 50 }
  await pollUntil(() => owner.stream.stored === BigInt(count), within)
  return owner
}

/** Derives records when retried: `odd…` passes, `odd-no…` is filtered out, and `bad…` fails again. */
export const mended: Transform = (records) =>
  Promise.resolve(
    records.map(({ key, value }) => {
      const text = value?.subarray(0, 20).toString() ?? ''
      if (text.startsWith('bad')) return { dead: 'corrupt' }
      return text.startsWith('odd-no') ? undefined : { key, value }
    }),
  )

export async function withDeadLetters<T>(
  { kafka = connect(), kafkaPrefix = '' }: { kafka?: Kafka; kafkaPrefix?: string },
  work: (dead: DeadLetterTopics) => Promise<T>,
): Promise<T> {
  const [admin, reader] = [createAdmin(kafka), createRangeReader(kafka)]
  try {
    return await work(
      createDeadLetterTopics({ kafka, kafkaPrefix, reader, offsets: admin.offsets }),
    )
  } finally {
    await Promise.all([admin.close(), reader.close()])
  }
}

type Topics = Pick<DerivedPartition, 'inputTopic' | 'outputTopic' | 'deadLetterTopic'>

export const retryOptions = (
  { inputTopic, outputTopic, deadLetterTopic }: Topics,
  more: Partial<RetryOptions> = {},
): RetryOptions => ({
  inputTopic,
  outputTopic,
  deadLetterTopic,
  transactionalIdOf: (partition) => `weir.derive.${outputTopic}.${partition}`,
  mayTake: () => Promise.resolve(true),
  transform: mended,
  onBegin: () => () => undefined,
  mayCommit: () => true,
  mayGoOn: () => true,
  ...more,
})

export function retry(
  { of }: Derivation,
  more: Partial<RetryOptions> = {},
): Promise<Record<RetryOutcome, number>> {
  return withDeadLetters({}, async (dead) => {
    const counts = { passed: 0, filtered: 0, failedAgain: 0 }
    await dead.retry(retryOptions(of, more), (outcome) => void (counts[outcome] += 1))
    return counts
  })
}

/** Returns the number of pending dead letters, and the `partition/offset` of their sources. */
export async function list({ of }: Derivation, max = 10) {
  const { inputTopic, deadLetterTopic } = of
  const what = { inputTopic, deadLetterTopic, max, mayGoOn: () => true }
  const found = await withDeadLetters({}, (dead) => dead.list(what))
  return {
    total: found?.total,
    sources: found?.entries.map(({ partition, source }) => `${partition}/${source}`),
  }
}

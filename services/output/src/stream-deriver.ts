// One derived stream on Kafka: what `derive.ts` makes of its records, exactly once, with the group,
// topics and rights of that stream (docs/architecture.md 3 and 4).
import type { EraKeys, Opener } from '@weir/fieldcrypt'
import { ERA_MS } from '@weir/fieldcrypt'
import { deriveExactlyOnce } from '@weir/kafka'
import type { Deriver, Kafka, OutRecord, SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream, StateFollower } from '@weir/streams'
import { groupOf, topicOf, transactionalIdOf } from '@weir/streams'
import { createDerive } from './derive.ts'
import type { Derive } from './derive.ts'
import type { KnownContract } from './known-contracts.ts'
import type { OutputMetrics } from './metrics.ts'

export type StreamDeriverDeps = {
  kafka: Kafka
  follower: StateFollower
  contract: (billingId: string, id: string) => KnownContract | undefined
  opener: Opener
  metrics: Pick<OutputMetrics, 'derived' | 'deriverFailed' | 'lostToRetention'>
  log: Log
  now: () => number
}

export function createStreamDeriver(deps: StreamDeriverDeps) {
  const { kafka, follower, contract, opener, metrics, log } = deps

  return (stream: DerivedStream, input: InputStream): Deriver => {
    const derive = createDerive(
      {
        opener,
        contract: (id) => contract(stream.billingId, id),
        eraKeys: createEraKeys(deps, input),
      },
      stream,
      input,
    )
    const mayDerive = (): boolean => {
      const now = follower.tables.streamById(stream.streamId)
      return follower.isFresh() && now?.state === 'ready' && now.enabled
    }
    return deriveExactlyOnce(kafka, {
      groupId: groupOf(stream),
      inputTopic: topicOf(input),
      outputTopic: topicOf(stream),
      transactionalIdOf: (partition) => transactionalIdOf(stream, partition),
      mayTake: async () => {
        await follower.catchUp()
        return mayDerive()
      },
      mayCommit: mayDerive,
      startOffset: (partition) => BigInt(stream.startOffsets?.[partition] ?? 0),
      transform: createTransform(derive, follower),
      onCommitted: metrics.derived,
      onError(error, partition) {
        metrics.deriverFailed(hasCode(error) ? error.code : 'unexpected')
        log.warn(
          { err: error, stream: topicOf(stream), partition },
          'a partition waits and is tried again',
        )
      },
      onLost(count, partition) {
        const events = Number(count)
        metrics.lostToRetention(events)
        log.error(
          { stream: topicOf(stream), partition, events },
          'retention removed events before they were derived',
        )
      },
    })
  }
}

/** Derives a round of records; looks again first when the tables may be a moment behind the topic. */
export function createTransform(derive: Derive, follower: Pick<StateFollower, 'lookAgain'>) {
  return async (records: readonly SourceRecord[]): Promise<readonly (OutRecord | undefined)[]> => {
    try {
      return records.map(derive)
    } catch (error) {
      if (!hasCode(error, 'not_known_yet')) throw error
      await follower.lookAgain()
      return records.map(derive)
    }
  }
}

const dayMs = 86_400_000

type EraKeysDeps = {
  follower: {
    keyring: Pick<StateFollower['keyring'], 'eraKeys' | 'under'>
    tables: Pick<StateFollower['tables'], 'streamById'>
  }
  now: () => number
}

/**
 * The input's keys of an era. They are erased when no part of their tree is there and the era is past
 * the stream's key retention, and not before (docs/keys.md, A sealed field).
 */
export function createEraKeys(
  { follower, now }: EraKeysDeps,
  input: InputStream,
): (era: number) => EraKeys | 'erased' | undefined {
  const { keyring, tables } = follower
  const { billingId, streamId } = input

  const isPast = (era: number): boolean => {
    const current = tables.streamById(streamId)
    const { keyRetentionDays } = current?.kind === 'input' ? current : input
    return (era + 1) * ERA_MS + keyRetentionDays * dayMs < now()
  }
  const hasTree = (era: number): boolean => {
    const [first] = keyring.under(`${billingId}/${streamId}/${era}/tree`)
    return first !== undefined
  }
  return (era) =>
    keyring.eraKeys(billingId, streamId, era) ??
    (isPast(era) && !hasTree(era) ? 'erased' : undefined)
}

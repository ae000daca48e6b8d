// A derived stream as Kafka sees it: its topics, ids and rights, and what becomes of its records. A live deriver
// and a retry of dead records have all of it in common.
import type { Opener } from '@weir/fieldcrypt'
import type { DeriveOptions } from '@weir/kafka'
import type { DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import { deadLetterTopicOf, groupOf, topicOf, transactionalIdOf } from '@weir/control-state'
import { createDerive } from './derive.ts'
import type { Derive } from './derive.ts'
import { createEraKeys } from './era-keys.ts'
import type { Openings } from './openings.ts'
import type { KnownContract } from './known-contracts.ts'

export type DerivationDeps = {
  readonly follower: StateFollower
  contract(billingId: string, id: string): KnownContract | undefined
  readonly opener: Opener
  readonly openings: Openings
  now(): number
}

export type Derivation = Pick<
  DeriveOptions,
  | 'groupId'
  | 'inputTopic'
  | 'outputTopic'
  | 'deadLetterTopic'
  | 'transactionalIdOf'
  | 'mayTake'
  | 'onBegin'
> & {
  readonly derive: Derive
  mayCommit(): boolean
}

export function derivationOf(
  deps: DerivationDeps,
  stream: DerivedStream,
  input: InputStream,
): Derivation {
  const { follower } = deps
  const mayDerive = (): boolean => {
    const now = follower.tables.streamById(stream.streamId)
    return follower.isFresh() && now?.state === 'ready' && now.enabled
  }
  return {
    groupId: groupOf(stream),
    inputTopic: topicOf(input),
    outputTopic: topicOf(stream),
    deadLetterTopic: deadLetterTopicOf(stream),
    transactionalIdOf: (partition) => transactionalIdOf(stream, partition),
    derive: deriveOf(deps, stream, input),
    mayTake: async () => {
      await follower.catchUp()
      return mayDerive()
    },
    mayCommit: mayDerive,
    onBegin: deps.openings.begin,
  }
}

/** What a stream of these levels makes of the input's records. */
export function deriveOf(
  { follower, contract, opener, now }: DerivationDeps,
  levels: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  input: InputStream,
): Derive {
  const { billingId } = input
  const eraKeys = createEraKeys({ follower, now }, input)
  return createDerive({ opener, contract: (id) => contract(billingId, id), eraKeys }, levels, input)
}

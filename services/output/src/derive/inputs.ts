// Keeps one flow for each input partition from which this replica derives, and groups derived streams with the same
// levels.
import type { DerivedStream, InputStream } from '@weir/control-state'
import { isDecryptedByReaders, topicOf } from '@weir/control-state'
import { createFetcher } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { deriveDepsOf } from './derivation.ts'
import type { DerivationDeps } from './derivation.ts'
import { createDeriveSource, readSource } from './derive.ts'
import type { DeriveDeps } from './derive.ts'
import { createPartitionFlow } from './flow/partition-flow.ts'
import type { PartitionFlow } from './flow/partition-flow.ts'
import type { FlowDeps } from './flow/flow.ts'
import type { Group } from './flow/reading.ts'
import { createFlowTurns } from './flow/turns.ts'
import type { Owners } from './owners/owners.ts'

export type InputDeps = DerivationDeps & {
  readonly kafka: Kafka
  readonly kafkaPrefix: string
  readonly logs: FlowDeps['logs']
  readonly owners: Pick<Owners, 'catchUp'>
  readonly log: Log
}

export type Inputs = {
  /** Each `join` needs a `leave`. */
  join(input: InputStream, partition: number): PartitionFlow
  leave(input: InputStream, partition: number): void
  groupOf(served: { readonly stream: DerivedStream; readonly input: InputStream }): Group
  wake(): void
}

type Input = {
  readonly stream: InputStream
  readonly derive: DeriveDeps
  readonly partitions: Map<number, Joined>
  readonly groups: Map<string, Group>
}

type Joined = { readonly flow: PartitionFlow; users: number }

export function createInputs(
  deps: InputDeps,
  rights: Pick<FlowDeps, 'mayDerive' | 'mayOwn'>,
): Inputs {
  const all = new Map<string, Input>()
  const shared = { ...sharedBy(deps), ...rights }

  function inputOf(stream: InputStream): Input {
    const known = all.get(stream.streamId)
    if (known !== undefined) return known
    const derive = deriveDepsOf(deps, stream)
    const made = { stream, derive, partitions: new Map(), groups: new Map() }
    all.set(stream.streamId, made)
    return made
  }

  return {
    join(stream, partition) {
      const input = inputOf(stream)
      const joined = input.partitions.get(partition) ?? {
        flow: createPartitionFlow({ ...shared, input: sideOf(deps, input, partition) }),
        users: 0,
      }
      input.partitions.set(partition, joined)
      joined.users += 1
      return joined.flow
    },
    leave({ streamId }, partition) {
      const input = all.get(streamId)
      const joined = input?.partitions.get(partition)
      if (input === undefined || joined === undefined) return
      joined.users -= 1
      if (joined.users === 0) input.partitions.delete(partition)
      if (input.partitions.size === 0) all.delete(streamId)
    },
    groupOf: ({ stream, input }) => groupIn(inputOf(input), stream),
    wake() {
      for (const { partitions } of all.values())
        for (const { flow } of partitions.values()) flow.wake()
    },
  }
}

const sharedBy = ({ kafka, follower, openings, logs, owners, log }: InputDeps) => ({
  logs,
  fetcher: createFetcher(kafka),
  turns: createFlowTurns((err) => log.error({ err }, 'deriving failed; trying again')),
  room: { bytes: 0 },
  begin: openings.begin,
  refresh: follower.refresh,
  readOwners: owners.catchUp,
})

function sideOf(
  { kafkaPrefix }: InputDeps,
  { stream, derive }: Input,
  partition: number,
): FlowDeps['input'] {
  const ownTopic = topicOf(stream)
  const topic = kafkaPrefix + ownTopic
  return {
    topic,
    ownTopic,
    partition,
    account: stream.billingId,
    read: (record) => readSource(derive, record),
  }
}

function groupIn({ stream: input, groups, derive }: Input, stream: DerivedStream): Group {
  const { consentLevelType: type, consentLevels } = stream
  const key = `${type} ${consentLevels.join(' ')} ${isDecryptedByReaders(stream)}`
  const group = groups.get(key) ?? { derive: createDeriveSource(derive, stream, input) }
  groups.set(key, group)
  return group
}

// Caches the leaders of partitions, by topic. A topic that is missing or has no leader doesn't affect other topics.
// Each request goes to another broker than the one before, because a broker may be cut off from the cluster without
// noticing.
import { withTimeout } from '@weir/kit'

import type { Topic } from '../connect/cluster-state.ts'
import type { Cluster } from '../connect/cluster.ts'

export type BatchPlace = {
  /** The broker's id. */
  readonly leader: number
  readonly topicId: string
}

export type Places = {
  /** Returns the cached leader. If this broker isn't the leader any more, its response says so. */
  find(topic: string, partition: number): BatchPlace | undefined
  /** Asks a broker. Concurrent callers share one request. */
  refresh(topic: string): Promise<void>
  forget(topic: string): void
}

type Question = { readonly topics: Set<string>; readonly answered: Promise<void> }

export function createPlaces(cluster: Cluster, timeoutMs: number): Places {
  const places = new Map<string, (BatchPlace | undefined)[]>()
  let brokers: readonly number[] = []
  let questions = 0
  let asking: Promise<void> = Promise.resolve()
  let next: Question | undefined

  async function ask(topics: ReadonlySet<string>): Promise<void> {
    const asked: readonly (number | undefined)[] = [undefined, ...brokers]
    const at = asked[questions++ % asked.length]
    const untilMs = performance.now() + timeoutMs
    const describing = cluster.describe([...topics], { at, untilMs })
    const state = await withTimeout(describing, timeoutMs, 'metadata')
    brokers = state.brokers
    for (const topic of topics) {
      const found = state.topics.get(topic)
      if (found === undefined) places.delete(topic)
      else places.set(topic, placesOf(found))
    }
  }

  function queueQuestion(): Question {
    const topics = new Set<string>()
    const answered = asking.then(() => {
      next = undefined
      return ask(topics)
    })
    asking = answered.catch(() => undefined)
    return { topics, answered }
  }

  return {
    find: (topic, partition) => places.get(topic)?.[partition],
    refresh(topic) {
      next ??= queueQuestion()
      next.topics.add(topic)
      return next.answered
    },
    forget(topic) {
      places.delete(topic)
    },
  }
}

function placesOf({ id, partitions }: Topic): (BatchPlace | undefined)[] {
  const places: (BatchPlace | undefined)[] = []
  for (const { partition, leader } of partitions)
    if (leader !== undefined) places[partition] = { leader, topicId: id }
  return places
}

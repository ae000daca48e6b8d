// An incremental fetch session (KIP-227), as plain data: the wanted partitions, and what the next request must change.
// A request contains only partitions that were added, advanced or removed, so idle partitions add nothing to it.
import type { ByTopic, FetchPartition, FetchRequest } from '../protocol/fetch.ts'

export type SessionPartition = FetchPartition & { readonly topicId: string }

export type FetchSession = {
  /** Adds the partition, or changes its offset. */
  put(partition: SessionPartition): void
  drop(partition: SessionPartition): void
  /**
   * Returns the content of the next request, or undefined if there is nothing to fetch. It contains all partitions if
   * there is no session, or the session was lost.
   */
  next(): Pick<FetchRequest, 'session' | 'topics' | 'forgotten'> | undefined
  /**
   * Call with the response's session id. 0 means that the broker has no room for a session. Then each request contains
   * all partitions.
   */
  answered(sessionId: number): void
  /** Call if the broker has forgotten the session, or may not have received the last request. */
  lost(): void
}

const EPOCH_MAX = 0x7fff_ffff

export function createFetchSession(): FetchSession {
  const wanted = new Map<string, SessionPartition>()
  const changed = new Set<string>()
  const dropped = new Map<string, SessionPartition>()
  // Epoch 0 replaces any existing session by a new one.
  let id = 0
  let epoch = 0

  return {
    put(partition) {
      const name = nameOf(partition)
      wanted.set(name, partition)
      changed.add(name)
      dropped.delete(name)
    },
    drop(partition) {
      const name = nameOf(partition)
      if (!wanted.delete(name)) return
      changed.delete(name)
      dropped.set(name, partition)
    },
    next() {
      if (wanted.size === 0) return undefined
      const isNew = epoch === 0
      const told = isNew
        ? [...wanted.values()]
        : [...changed].flatMap((name) => wanted.get(name) ?? [])
      const forgotten = isNew ? [] : [...dropped.values()]
      changed.clear()
      dropped.clear()
      return { session: { id, epoch }, ...said(told, forgotten) }
    },
    answered(sessionId) {
      if (sessionId === 0) epoch = 0
      else epoch = sessionId === id && epoch < EPOCH_MAX ? epoch + 1 : 1
      id = sessionId
    },
    lost() {
      epoch = 0
    },
  }
}

const said = (told: readonly SessionPartition[], forgotten: readonly SessionPartition[]) => ({
  topics: byTopic(told, (one) => one),
  forgotten: byTopic(forgotten, ({ partition }) => partition),
})

export function byTopic<One extends { readonly topicId: string }, Told>(
  partitions: readonly One[],
  tell: (one: One) => Told,
): ByTopic<Told> {
  const topics = Map.groupBy(partitions, ({ topicId }) => topicId)
  return [...topics].map(([topicId, some]) => ({ topicId, partitions: some.map(tell) }))
}

const nameOf = ({ topicId, partition }: SessionPartition): string => `${topicId} ${partition}`

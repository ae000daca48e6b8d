// Who leads which partition, asked topic by topic and only when somebody needs to know. Unlike kafkajs's
// metadata a topic that is gone, or whose leader is missing, is no trouble to the others. Each question
// goes to the next bootstrap broker, on a connection that never waits behind a produce request.
import { withTimeout } from '@weir/kit'

import { createConnections } from './connections.ts'
import type { Address, Sockets } from './socket.ts'
import { whenOver } from './throttle.ts'
import { encodeMetadata, readMetadata } from '../protocol/produce-wire.ts'

export type Leaders = {
  /** What is known; may be out of date, which the broker asked will say. */
  leaderOf(topic: string, partition: number): Address | undefined
  /** Asks anew, together with everyone who wants to know something at this time. */
  refresh(topic: string): Promise<void>
  forget(topic: string): void
  close(): void
}

type Question = { readonly topics: Set<string>; readonly answered: Promise<void> }

export function createLeaders(
  sockets: Pick<Sockets, 'open' | 'nextSeed'>,
  timeoutMs: number,
): Leaders {
  const connections = createConnections(sockets)
  const leaders = new Map<string, readonly (Address | undefined)[]>()
  let asking: Promise<void> = Promise.resolve()
  let next: Question | undefined

  async function ask(topics: ReadonlySet<string>): Promise<void> {
    const seed = await sockets.nextSeed()
    const connection = await connections.open(seed)
    await withTimeout(whenOver(connection.throttle), timeoutMs, 'a broker that delays requests')
    const answer = connection.request(encodeMetadata(connection.clientId, [...topics]))
    const payload = await withTimeout(answer, timeoutMs, 'metadata').catch((error: unknown) => {
      connection.drop('metadata took too long')
      throw error
    })
    const metadata = readMetadata(payload)
    connection.throttle.note(metadata.throttleMs)
    for (const topic of topics) {
      const nodes = metadata.leaders.get(topic)
      const addresses = nodes?.map((node) => metadata.brokers.get(node))
      if (addresses) leaders.set(topic, addresses)
      else leaders.delete(topic)
    }
  }

  return {
    leaderOf: (topic, partition) => leaders.get(topic)?.[partition],
    refresh(topic) {
      next ??= queueQuestion()
      next.topics.add(topic)
      return next.answered
    },
    forget(topic) {
      leaders.delete(topic)
    },
    close: connections.close,
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
}

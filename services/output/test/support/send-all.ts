// Sends many events like busy producers: over several connections, with many concurrent requests on each.
import { connectProducer } from '@weir/testkit'
import type { SentEvent } from './many-events.ts'

export type SendAll = {
  ingestUrl: string
  token: string
  connections: number
  /** Concurrent requests on each connection. */
  streams: number
  /** Called right before an event is sent. */
  onSend?: (event: SentEvent) => void
}

/**
 * Resolves when every event is stored. Events of one person are sent one after another, so that their order is known.
 * Events of different people are sent concurrently.
 */
export async function sendAll(events: readonly SentEvent[], how: SendAll): Promise<void> {
  const { ingestUrl, token, connections, streams, onSend } = how
  const producers = await Promise.all(
    Array.from({ length: connections }, () => connectProducer(ingestUrl)),
  )
  const people = [...Map.groupBy(events, ({ person }) => person).values()]
  const sendNext = async (send: (typeof producers)[number]['send']): Promise<void> => {
    for (let own = people.pop(); own !== undefined; own = people.pop())
      for (const event of own) {
        onSend?.(event)
        const { status, body } = await send(event.body, { token, schemaId: event.schemaId })
        if (status !== 204) throw new Error(`event ${event.number}: ${status} ${body}`)
      }
  }
  try {
    await Promise.all(
      producers.flatMap(({ send }) => Array.from({ length: streams }, () => sendNext(send))),
    )
  } finally {
    for (const { close } of producers) close()
  }
}

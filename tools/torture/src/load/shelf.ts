// The encrypted events that a reader has read from an output's topic so far.
import type { EncryptedEvent } from '@weir/client'

import { readStored } from '../check/stored.ts'
import type { Kind } from '../events.ts'
import type { Ledger, Sent } from '../ledger.ts'
import type { TestOutput } from '../streams.ts'
import { isOurs } from '../world/strangers.ts'
import type { Topics } from '../world/topics.ts'

export type ShelvedEvent = EncryptedEvent & { readonly sent: Sent }

export type Shelf = {
  /** Reads what has arrived in the topic since the last call. */
  refill(): Promise<void>
  all(): readonly ShelvedEvent[]
  of(person: string): readonly ShelvedEvent[]
}

export type ShelfDeps = {
  readonly kinds: readonly Kind[]
  readonly ledger: Pick<Ledger, 'find'>
  readonly topics: Pick<Topics, 'ends' | 'readFrom'>
}

export function createShelf({ kinds, ledger, topics }: ShelfDeps, { topic }: TestOutput): Shelf {
  const next: bigint[] = []
  const all: ShelvedEvent[] = []
  const byPerson = new Map<string, ShelvedEvent[]>()
  const keep = (kept: ShelvedEvent): void => {
    const { person } = kept.sent
    all.push(kept)
    const own = byPerson.get(person)
    if (own === undefined) byPerson.set(person, [kept])
    else own.push(kept)
  }
  return {
    all: () => all,
    of: (person) => byPerson.get(person) ?? [],
    async refill() {
      const ends = await topics.ends(topic)
      for (const [partition, end] of ends.entries()) {
        // A rebuilt output has a new topic, which begins at 0.
        const from = (next[partition] ?? 0n) > end ? 0n : (next[partition] ?? 0n)
        for (const record of await topics.readFrom(topic, partition, from)) {
          next[partition] = record.offset + 1n
          const stored = isOurs(record) ? readStored(kinds, record) : undefined
          const sent = stored?.number === undefined ? undefined : ledger.find(stored.number)
          if (stored && sent) keep({ sent, headers: record.headers, event: stored.plain })
        }
      }
    },
  }
}

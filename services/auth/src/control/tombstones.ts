// Takes records away that nobody needs any more: tombstones, for want of another way written in transactions,
// one at a time under an id of this replica's own. To write one twice does no harm.
import { createTransactor } from '@weir/kafka'
import type { AddressedRecord, Kafka } from '@weir/kafka'

export type Tombstone = Pick<AddressedRecord, 'topic' | 'key'> & { readonly partition: number }
export type WriteTombstones = (tombstones: readonly Tombstone[]) => Promise<void>

const transactionTimeoutMs = 10_000
/** Of some 100 bytes each; a request stays well below what brokers take. */
const recordsInSend = 2_500

export function createTombstoneWriter(kafka: Kafka, replica: string): WriteTombstones {
  let last: Promise<unknown> = Promise.resolve()

  const write: WriteTombstones = async (tombstones) => {
    const transactor = createTransactor(kafka, {
      transactionalId: `weir.tombstones.${replica}`,
      timeoutMs: transactionTimeoutMs,
    })
    try {
      await transactor.fence()
      const records = tombstones.map((tombstone) => ({ ...tombstone, value: null }))
      await transactor.transaction(async (tx) => {
        for (const chunk of chunksOf(records)) await tx.send(chunk)
      })
    } finally {
      await transactor.close()
    }
  }

  return async (tombstones) => {
    if (tombstones.length === 0) return
    const mine = last.then(() => write(tombstones))
    last = mine.catch(() => undefined)
    await mine
  }
}

/** Records in sends of a size that brokers take. */
export function chunksOf<Item>(records: readonly Item[]): Item[][] {
  const chunks: Item[][] = []
  for (let start = 0; start < records.length; start += recordsInSend)
    chunks.push(records.slice(start, start + recordsInSend))
  return chunks
}

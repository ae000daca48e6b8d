// Removes obsolete records with tombstones, in one transaction at a time under this replica's own transactional id.
// Writing a tombstone twice is harmless.
import { createTransactor } from '@weir/kafka'
import type { AddressedRecord, Kafka } from '@weir/kafka'

export type Tombstone = Pick<AddressedRecord, 'topic' | 'key'> & { readonly partition: number }
export type WriteTombstones = (tombstones: readonly Tombstone[]) => Promise<void>

const transactionTimeoutMs = 10_000
/** Records of about 100 bytes each. So a request stays well below the brokers' limit. */
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

/** Splits records into sends that brokers accept. */
export function chunksOf<Item>(records: readonly Item[]): Item[][] {
  const chunks: Item[][] = []
  for (let start = 0; start < records.length; start += recordsInSend)
    chunks.push(records.slice(start, start + recordsInSend))
  return chunks
}

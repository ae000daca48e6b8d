// Sends what was placed, in batches that a topic takes, and keeps in mind what Kafka has refused for certain
// because of the record itself, so that it is tried in a smaller form, and no other record has to wait for it.

import { protocolTypeOf } from '../connect/faults.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import type { Placed } from './place-records.ts'
import { bodyBytesOf } from '../protocol/record-batch.ts'
import { SVC_ERROR } from './svc-source.ts'
import type { Transaction } from '../fence/transactor.ts'
import { KafkaError } from '../errors.ts'

export type PlacedSender = {
  send(transaction: Transaction, placed: readonly Placed[]): Promise<void>
  /** How often the record of that input offset was refused. */
  refusals(offset: bigint): number
  /** All of it is committed. */
  clear(): void
}

type Sent = { readonly offset: bigint; readonly out: AddressedRecord }

const SEND_BYTES_MAX = 900_000
const RECORD_PREFIX_BYTES_MAX = 20
const RECORD_OVERHEAD_BYTES = 200

const REFUSED_FOR_ITSELF: readonly string[] = [
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
]

export function createPlacedSender(): PlacedSender {
  const refused = new Map<bigint, number>()
  let isAlone = false

  function remember(chunk: readonly Sent[]): void {
    const [first] = chunk
    if (first === undefined) return
    if (chunk.length > 1) isAlone = true
    else refused.set(first.offset, (refused.get(first.offset) ?? 0) + 1)
  }

  async function sendChunk(transaction: Transaction, chunk: readonly Sent[]): Promise<void> {
    try {
      await transaction.send(chunk.map(({ out }) => out))
    } catch (error) {
      if (!REFUSED_FOR_ITSELF.includes(protocolTypeOf(error) ?? '')) throw error
      remember(chunk)
      throw new KafkaError('kafka.too_large', 'Kafka refuses a single record', { cause: error })
    }
  }

  return {
    async send(transaction, placed) {
      for (const sent of byTopic(placed)) {
        const chunks = chunksOf(sent, isAlone ? 0 : SEND_BYTES_MAX)
        for (const chunk of chunks) await sendChunk(transaction, chunk)
      }
    },
    // Asked for every record, and hardly ever anything but 0.
    refusals: (offset) => (refused.size === 0 ? 0 : (refused.get(offset) ?? 0)),
    clear() {
      refused.clear()
      isAlone = false
    },
  }
}

function byTopic(placed: readonly Placed[]): Iterable<Sent[]> {
  const topics = new Map<string, Sent[]>()
  for (const { offset, out } of placed) {
    if (out === undefined) continue
    const sent = topics.get(out.topic)
    if (sent === undefined) topics.set(out.topic, [{ offset, out }])
    else sent.push({ offset, out })
  }
  return topics.values()
}

/** One produce request is one batch, which the topic's `max.message.bytes` bounds. */
function* chunksOf(records: readonly Sent[], bytesMax: number): Generator<Sent[]> {
  let chunk: Sent[] = []
  let bytes = 0
  for (const record of records) {
    const size = sizeOf(record.out) + RECORD_PREFIX_BYTES_MAX
    if (chunk.length > 0 && bytes + size > bytesMax) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(record)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}

// A derived record has the headers that we give it; a dead one may have any.
function sizeOf({ key, value, headers = {}, timestampMs = 0 }: AddressedRecord): number {
  if (SVC_ERROR in headers) return bodyBytesOf({ key, value, headers, timestampMs })
  return RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0)
}

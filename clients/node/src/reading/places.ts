// How far the places of a topic are read. The last offsets of a place may belong to a transaction's marker or to aborted
// records, which kafkajs never hands out. So a place is read when kafkajs has passed its end, not when a record with the
// last offset arrives.
import { recordOf } from './message.ts'
import type { Message } from './message.ts'
import type { TopicRecord } from './record.ts'

/** What to read of a partition; from `next` on it is unread. */
export type Place = {
  readonly partition: number
  readonly from: bigint
  readonly end: bigint
  next: bigint
}

export const isUnread = ({ next, end }: Place): boolean => next < end

export type Messages = { readonly partition: number; readonly messages: readonly Message[] }

/**
 * Hands out the unread records. After a rejoin kafkajs may fetch records again, and the last fetch contains records that
 * were written after the topic was opened.
 */
export async function handOut(
  place: Place,
  { partition, messages }: Messages,
  onRecord: (record: TopicRecord) => void | Promise<void>,
  isEnded: () => boolean,
): Promise<void> {
  for (const message of messages) {
    const offset = BigInt(message.offset)
    if (offset >= place.end || isEnded()) return
    if (offset < place.next) continue
    await onRecord(recordOf(partition, offset, message))
    place.next = offset + 1n
  }
}

/** No record before `next` will come. */
export function pass(place: Place, next: bigint): void {
  const reached = next < place.end ? next : place.end
  if (reached > place.next) place.next = reached
}

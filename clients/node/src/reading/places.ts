// Tracks how far a topic is read. A place is the range of offsets to read in one partition. Its last offsets may be
// transaction markers or aborted records, which kafkajs never hands out. So a place is read when kafkajs has passed its
// end.
import { recordOf } from './message.ts'
import type { Message } from './message.ts'
import type { TopicRecord } from './record.ts'

/** The offsets to read in a partition. From `next` on, they are unread. */
export type Place = {
  readonly partition: number
  readonly from: bigint
  readonly end: bigint
  next: bigint
}

export const isUnread = ({ next, end }: Place): boolean => next < end

export type Messages = { readonly partition: number; readonly messages: readonly Message[] }

/**
 * Hands out the unread records of the place. Skips records that kafkajs fetches again after a rejoin, and records after
 * the place's end.
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

/** Call it when no record before `next` will arrive. */
export function pass(place: Place, next: bigint): void {
  const reached = next < place.end ? next : place.end
  if (reached > place.next) place.next = reached
}

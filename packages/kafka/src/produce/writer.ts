// Who writes a partition: under which producer id, and which number his next record has. Numbers go up to 2^31 - 1 and on from 0.
import type { Identities, Identity } from './identities.ts'
import type { BatchProducerId } from '../protocol/record-batch.ts'

export type Writer = {
  identity: Identity | undefined
  /** Not to be used again. */
  former: Identity | undefined
  sequence: number
  /** Of the topic that he writes: another of the same name knows nothing of his numbers. */
  topicId: string | undefined
}

const SEQUENCES = 2 ** 31

export const sequenceAfter = (sequence: number, count: number): number =>
  (sequence + count) % SEQUENCES

export const createWriter = (): Writer => ({
  identity: undefined,
  former: undefined,
  sequence: 0,
  topicId: undefined,
})

export async function identify(
  { writer, topicId }: { readonly writer: Writer; readonly topicId: string | undefined },
  identities: Identities,
  broker: number,
): Promise<BatchProducerId> {
  if (writer.topicId !== topicId) startAnew(writer)
  writer.topicId = topicId
  const identity = (writer.identity ??= await identities.after(writer.former, broker))
  return { ...identity, sequence: writer.sequence }
}

export function wrote(writer: Writer, count: number): void {
  writer.sequence = sequenceAfter(writer.sequence, count)
}

/** What he has written last, or where, isn't known: he goes on under another producer id. */
export function startAnew(writer: Writer): void {
  writer.former = writer.identity ?? writer.former
  writer.identity = undefined
  writer.sequence = 0
}

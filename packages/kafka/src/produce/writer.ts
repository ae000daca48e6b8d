// The state of a partition's writer: the producer id, and the sequence number of the next record. 0 follows 2^31 - 1.
import type { Identities, Identity } from './identities.ts'
import type { BatchProducerId } from '../protocol/record-batch.ts'

export type LogWriter = {
  identity: Identity | undefined
  /** An identity that must not be used again. */
  former: Identity | undefined
  sequence: number
  /** The id of the topic. Another topic of the same name doesn't have the writer's sequence numbers. */
  topicId: string | undefined
}

const SEQUENCES = 2 ** 31

export const sequenceAfter = (sequence: number, count: number): number =>
  (sequence + count) % SEQUENCES

export const createLogWriter = (): LogWriter => ({
  identity: undefined,
  former: undefined,
  sequence: 0,
  topicId: undefined,
})

export async function identify(
  { writer, topicId }: { readonly writer: LogWriter; readonly topicId: string | undefined },
  identities: Identities,
  broker: number,
): Promise<BatchProducerId> {
  if (writer.topicId !== topicId) startAnew(writer)
  writer.topicId = topicId
  const identity = (writer.identity ??= await identities.after(writer.former, broker))
  return { ...identity, sequence: writer.sequence }
}

export function wrote(writer: LogWriter, count: number): void {
  writer.sequence = sequenceAfter(writer.sequence, count)
}

/**
 * Gives the writer another producer id, and starts at sequence number 0. Call if its sequence numbers are uncertain.
 */
export function startAnew(writer: LogWriter): void {
  writer.former = writer.identity ?? writer.former
  writer.identity = undefined
  writer.sequence = 0
}

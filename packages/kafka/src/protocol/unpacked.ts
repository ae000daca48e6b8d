// The common type of decompressors.
import { KafkaError } from '../errors.ts'

/** Undefined when the result would be longer than `bytesMax`; nothing has been allocated then. Throws `malformed`. */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): KafkaError<'kafka.malformed'> =>
  new KafkaError('kafka.malformed', 'a batch of compressed records cannot be read')

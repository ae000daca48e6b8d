// What decoders of compressed records have in common.
import { KafkaError } from '../errors.ts'

/** Undefined when it would be more than so many bytes; nothing has been allocated then. Throws `malformed`. */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): KafkaError<'kafka.malformed'> =>
  new KafkaError('kafka.malformed', 'a batch of compressed records cannot be read')

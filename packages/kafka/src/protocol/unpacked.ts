// The common type of decompressors.
import { KafkaError } from '../errors.ts'

/**
 * Returns undefined, and allocates nothing, if the result would be longer than `bytesMax`. Throws KafkaError
 * `kafka.malformed`.
 */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): KafkaError<'kafka.malformed'> =>
  new KafkaError('kafka.malformed', 'a batch of compressed records cannot be read')

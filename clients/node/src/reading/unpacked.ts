// The common type of decompressors.
import { ReadError } from '../errors.ts'

/** Returns undefined, and allocates nothing, if the result would be longer than `bytesMax`. Throws `unreadable`. */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): ReadError =>
  new ReadError('unreadable', 'a batch of compressed records cannot be read')

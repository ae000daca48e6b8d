// The common type of decompressors.
import { ReadError } from '../errors.ts'

/** Undefined when the result would be longer than `bytesMax`; nothing has been allocated then. Throws `unreadable`. */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): ReadError =>
  new ReadError('unreadable', 'a batch of compressed records cannot be read')

// What decoders of compressed records have in common.
import { AppError } from '@weir/kit'

/** Undefined when it would be more than so many bytes; nothing has been allocated then. Throws `malformed`. */
export type Unpack = (packed: Buffer, bytesMax: number) => Buffer | undefined

export const unreadable = (): AppError<'malformed'> =>
  new AppError('malformed', 'a batch of compressed records cannot be read')

// The errors of this package. A field that doesn't check out has exactly one of them, whatever was
// wrong with it: telling a bad tag from a bad prefix would help nobody but an attacker. No message
// holds a key, a link or a value.
import { AppError } from '@weir/kit'

export type FieldcryptErrorCode =
  /** A sealed field, a keyLink or a timestamp that doesn't check out: a poison record. */
  | 'corrupt'
  /** A part that is needed isn't at hand: nothing can be said, so nothing is sealed or erased. */
  | 'key_unavailable'
  /** A record of the key topic that doesn't unwrap, or isn't what it should be. */
  | 'record_unreadable'
  /** A string with a lone surrogate, which no encoding keeps. */
  | 'not_well_formed'
  | 'kek_file_invalid'

type FieldcryptError = AppError<FieldcryptErrorCode>

export const corrupt = (): FieldcryptError =>
  new AppError('corrupt', 'the encrypted field or its keyLink is not authentic')

export const keyUnavailable = (streamId: string, era: number, part: string): FieldcryptError =>
  new AppError(
    'key_unavailable',
    `part ${part} of stream ${streamId}, era ${era}, is not available`,
  )

export const recordUnreadable = (what: string, why?: string): FieldcryptError =>
  new AppError('record_unreadable', `${what} cannot be opened${why ? `: ${why}` : ''}`)

export const notWellFormed = (): FieldcryptError =>
  new AppError('not_well_formed', 'a value is not well-formed Unicode')

export const kekFileInvalid = (reason: string): FieldcryptError =>
  new AppError('kek_file_invalid', reason)

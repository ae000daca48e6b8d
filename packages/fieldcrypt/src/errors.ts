// The errors of this package. All invalid fields cause the same error, because details would help only an attacker. No
// message contains a key, a link or a value.
import { AppError } from '@weir/kit'

export type FieldcryptErrorCode =
  /** An encrypted field, a keyLink, a level or a timestamp is invalid. Output dead-letters such a record. */
  | 'fieldcrypt.corrupt'
  /** A required key record isn't available, so nothing was encrypted or erased. */
  | 'fieldcrypt.key_unavailable'
  /** A record of the key topic can't be unwrapped, or has unexpected content. */
  | 'fieldcrypt.record_unreadable'
  /** A string has a lone surrogate, which UTF-8 can't encode. */
  | 'fieldcrypt.not_well_formed'
  | 'fieldcrypt.kek_file_invalid'

export class FieldcryptError<
  Code extends FieldcryptErrorCode = FieldcryptErrorCode,
> extends AppError<Code> {}

export const corrupt = (): FieldcryptError =>
  new FieldcryptError('fieldcrypt.corrupt', 'the encrypted field or its keyLink is not authentic')

/** `period` is text such as `era 591` or `term 49`. */
export const keyUnavailable = (streamId: string, period: string, part: string): FieldcryptError =>
  new FieldcryptError(
    'fieldcrypt.key_unavailable',
    `key record ${part} of stream ${streamId}, ${period}, is not available`,
  )

export const recordUnreadable = (what: string, why?: string): FieldcryptError =>
  new FieldcryptError(
    'fieldcrypt.record_unreadable',
    `${what} cannot be decrypted${why ? `: ${why}` : ''}`,
  )

export const notWellFormed = (): FieldcryptError =>
  new FieldcryptError('fieldcrypt.not_well_formed', 'a value is not well-formed Unicode')

export const kekFileInvalid = (reason: string): FieldcryptError =>
  new FieldcryptError('fieldcrypt.kek_file_invalid', reason)

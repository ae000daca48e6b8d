// The errors of this package. All invalid tokens get the same error. The errors of receipts say what is wrong.
import { AppError } from '@weir/kit'

export type TokenErrorCode =
  | 'tokens.invalid'
  | 'tokens.not_a_receipt'
  | 'tokens.receipt_key_unknown'
  | 'tokens.receipt_changed'

export class TokenError extends AppError<TokenErrorCode> {}

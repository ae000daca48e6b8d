// The error is the same for every fault of a token. For receipts it says what is wrong.
import { AppError } from '@weir/kit'

export type TokenErrorCode =
  | 'tokens.invalid'
  | 'tokens.not_a_receipt'
  | 'tokens.receipt_key_unknown'
  | 'tokens.receipt_changed'

export class TokenError extends AppError<TokenErrorCode> {}

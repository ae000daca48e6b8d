// Whatever is wrong with a token, the error is the same; of receipts it says what.
import { AppError } from '@weir/kit'

export type TokenErrorCode = 'tokens.invalid' | 'tokens.not_a_receipt'

export class TokenError extends AppError<TokenErrorCode> {}

// The one error of this package: whatever is wrong with a token, it is the same.
import { AppError } from '@weir/kit'

export type TokenErrorCode = 'tokens.invalid'

export class TokenError extends AppError<TokenErrorCode> {}

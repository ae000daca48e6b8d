// The one error class. Its message is public: it may go into a response body, so it never holds a
// secret, a token or a value of an event (except for the validation sentence of the spec).

/** Of the kit itself. */
export type KitErrorCode =
  | 'kit.aborted'
  | 'kit.answer_too_large'
  | 'kit.setting_file_unreadable'
  | 'kit.timeout'

export class AppError<Code extends string = string> extends Error {
  readonly code: Code
  constructor(code: Code, publicMessage: string, options?: { cause?: unknown }) {
    super(publicMessage, options)
    this.name = 'AppError'
    this.code = code
  }
}

/** True for an AppError that carries one of the codes given (any, when none is given). */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: Code[]
): error is AppError<Code> {
  return (
    error instanceof AppError &&
    (codes.length === 0 || (codes as readonly string[]).includes(error.code))
  )
}

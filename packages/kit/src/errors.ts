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

/** In a table of public forms: the error's own message may go to clients. */
export const ownSentence = Symbol('its own sentence')

/** How clients are told of an error that wasn't made for them. */
export type PublicForm<Code extends string> = {
  readonly code: Code
  readonly sentence: string | typeof ownSentence
}

/** By the codes of packages. What isn't there is nobody's business. */
export type PublicForms<Code extends string> = Readonly<Record<string, PublicForm<Code>>>

export function publicFormOf<Code extends string>(
  forms: PublicForms<Code>,
  error: unknown,
): { readonly code: Code; readonly message: string } | undefined {
  if (!(error instanceof AppError) || !Object.hasOwn(forms, error.code)) return undefined
  const form = forms[error.code]
  if (form === undefined) return undefined
  const { code, sentence } = form
  return { code, message: sentence === ownSentence ? error.message : sentence }
}

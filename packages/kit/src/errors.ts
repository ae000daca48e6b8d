// The base class of all errors with a code. Its message may be sent in a response, so it never contains a secret, a
// token or a value of an event (except in the validation sentence of the spec).

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

/** Returns true for an AppError with one of the given codes, or with any code if none is given. */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: Code[]
): error is AppError<Code> {
  return (
    error instanceof AppError &&
    (codes.length === 0 || (codes as readonly string[]).includes(error.code))
  )
}

/** Stands for the error's own message in a table of public forms. */
export const ownSentence = Symbol('its own sentence')

/** What clients get for an error that is not public itself. */
export type PublicForm<Code extends string> = {
  readonly code: Code
  readonly sentence: string | typeof ownSentence
}

/** The public forms by the packages' error codes. Errors without an entry aren't shown to clients. */
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

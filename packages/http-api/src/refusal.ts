// A refusal: an error that was made for a client to read. Whatever else is thrown is not one, whatever its code is
// called; `errors.ts` says what a client is told of it.
import { AppError } from '@weir/kit'

type More = {
  readonly problems?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** With what the code alone doesn't say: all problems of the input, or headers of its own. */
export class Refusal<Code extends string = string> extends AppError<Code> {
  readonly problems: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(code: Code, publicMessage: string, more: More = {}) {
    super(code, publicMessage, { cause: more.cause })
    this.problems = more.problems
    this.headers = more.headers ?? {}
  }
}

/** Makes refusals with a service's codes, and no others. */
export type Refuse<Code extends string> = (
  code: Code,
  publicMessage: string,
  more?: More,
) => Refusal<Code>

/** What this package itself refuses; the table of each service has these. */
export type SharedCode =
  | 'invalid_request'
  | 'not_json'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_encoding'
  | 'invalid'
  | 'too_many_failures'
  | 'internal'
  | 'unavailable'

export const refuse: Refuse<SharedCode> = (code, publicMessage, more) =>
  new Refusal(code, publicMessage, more)

/** More than anybody reads. */
const problemsMax = 100

export function invalid(all: readonly string[]): Refusal<'invalid'> {
  const problems = all.slice(0, problemsMax)
  return new Refusal('invalid', problems.join('; '), { problems })
}

// A refusal is an error that a client gets unchanged. `errors.ts` says what a client gets for other errors.
import { AppError } from '@weir/kit'

type More = {
  readonly problems?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** May also contain all problems of the input, or headers of the response. */
export class Refusal<Code extends string = string> extends AppError<Code> {
  readonly problems: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(code: Code, publicMessage: string, more: More = {}) {
    super(code, publicMessage, { cause: more.cause })
    this.problems = more.problems
    this.headers = more.headers ?? {}
  }
}

/** Creates refusals with a service's codes only. */
export type Refuse<Code extends string> = (
  code: Code,
  publicMessage: string,
  more?: More,
) => Refusal<Code>

/** The codes that all services share. The table of each service contains them. */
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

const problemsMax = 100

export function invalid(all: readonly string[]): Refusal<'invalid'> {
  const problems = all.slice(0, problemsMax)
  return new Refusal('invalid', problems.join('; '), { problems })
}

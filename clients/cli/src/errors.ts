// The one error the command shows: what happened, what to do about it, where to read more, and the exit code. Messages
// never hold a key, a secret or a token.

/** 1: the service refused, or something failed on the way; 2: the command was used wrongly. */
export type ExitCode = 1 | 2

type More = {
  readonly advice?: readonly string[]
  readonly status?: number | undefined
  readonly page?: string | undefined
}

const pages: Readonly<Record<ExitCode, string>> = {
  1: 'docs/errors/failed.md',
  2: 'docs/errors/usage_error.md',
}
export const unreachablePage = 'docs/errors/unreachable.md'
/** Whoever has just used it wrongly. */
export const misusePage = pages[2]

export class CliError extends Error {
  readonly exitCode: ExitCode
  /** What the reader can do now, one sentence a line. */
  readonly advice: readonly string[]
  /** Of the answer, where a service refused. */
  readonly status: number | undefined
  /** An address, or a file of this repository. */
  readonly page: string
  constructor(
    exitCode: ExitCode,
    message: string,
    { advice = [], status, page = pages[exitCode] }: More = {},
  ) {
    super(message)
    this.status = status
    this.page = page
    this.name = 'CliError'
    this.exitCode = exitCode
    this.advice = advice
  }
}

export const failure = (message: string, ...advice: string[]): CliError =>
  new CliError(1, message, { advice })

export const misuse = (message: string, ...advice: string[]): CliError =>
  new CliError(2, message, { advice })

export const moreAt = (page: string): string => `More: ${page}`

/** The lines for stderr. */
export function renderError(error: unknown): string {
  if (error instanceof CliError) {
    const lines = [...error.advice, moreAt(error.page)]
    return [`weir: ${error.message}`, ...lines.map((line) => `  ${line}`)].join('\n')
  }
  return `weir: ${error instanceof Error ? error.message : String(error)}`
}

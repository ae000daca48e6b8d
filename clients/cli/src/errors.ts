// The error that commands throw. Messages never contain a key, a secret or a token.

/** 1: a refusal or a failure; 2: a `usage_error`. */
export type ExitCode = 1 | 2

type More = {
  readonly advice?: readonly string[]
  readonly status?: number | undefined
  readonly page?: string | undefined
}

export class CliError extends Error {
  readonly exitCode: ExitCode
  /** What the user can do now, one sentence per line. */
  readonly advice: readonly string[]
  /** The HTTP status of a service's refusal. */
  readonly status: number | undefined
  /** The address of the page that explains the refusal. */
  readonly page: string | undefined
  constructor(exitCode: ExitCode, message: string, { advice = [], status, page }: More = {}) {
    super(message)
    this.status = status
    this.page = page
    this.name = 'CliError'
    this.exitCode = exitCode
    this.advice = advice
  }

  withAdvice(...lines: readonly string[]): CliError {
    const { exitCode, message, advice, status, page } = this
    return new CliError(exitCode, message, { advice: [...lines, ...advice], status, page })
  }
}

export const failure = (message: string, ...advice: string[]): CliError =>
  new CliError(1, message, { advice })

export const misuse = (message: string, ...advice: string[]): CliError =>
  new CliError(2, message, { advice })

export function renderError(error: unknown): string {
  if (error instanceof CliError) {
    const lines = [...error.advice, ...(error.page === undefined ? [] : [`More: ${error.page}`])]
    return [`weir: ${error.message}`, ...lines.map((line) => `  ${line}`)].join('\n')
  }
  return `weir: ${error instanceof Error ? error.message : String(error)}`
}

// The one error the command shows: what happened, what to do about it, and the exit code. Messages never
// hold a key, a secret or a token.

/** 1: the service refused, or something failed on the way; 2: the command was used wrongly. */
export type ExitCode = 1 | 2

export class CliError extends Error {
  readonly exitCode: ExitCode
  /** What the reader can do now, one sentence a line. */
  readonly advice: readonly string[]
  constructor(exitCode: ExitCode, message: string, advice: readonly string[] = []) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
    this.advice = advice
  }
}

export const failure = (message: string, ...advice: string[]): CliError =>
  new CliError(1, message, advice)

export const misuse = (message: string, ...advice: string[]): CliError =>
  new CliError(2, message, advice)

/** The lines for stderr. */
export function renderError(error: unknown): string {
  if (error instanceof CliError) {
    return [`weir: ${error.message}`, ...error.advice.map((line) => `  ${line}`)].join('\n')
  }
  return `weir: ${error instanceof Error ? error.message : String(error)}`
}

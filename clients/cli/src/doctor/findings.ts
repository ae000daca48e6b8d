// The findings of `weir doctor`: a state, a message, and how to fix a problem. No finding contains a secret.
import { CliError } from '../errors.ts'
import { visible } from '../terminal/table.ts'

export type DoctorFinding = {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly message: string
  readonly advice: readonly string[]
}

export const ok = (check: string, message: string): DoctorFinding => ({
  check,
  state: 'ok',
  message,
  advice: [],
})

export const warning = (check: string, message: string, ...advice: string[]): DoctorFinding => ({
  check,
  state: 'warning',
  message,
  advice,
})

export const problem = (check: string, message: string, ...advice: string[]): DoctorFinding => ({
  check,
  state: 'problem',
  message,
  advice,
})

export function fromError(
  check: string,
  error: unknown,
  state: 'warning' | 'problem',
): DoctorFinding {
  const message = error instanceof Error ? error.message : String(error)
  const advice = error instanceof CliError ? error.advice : []
  return { check, state, message: visible(message), advice }
}

/** Renders each finding and each advice on its own line. */
export function renderFindings(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat('warning  '.length + width + 2)
  return findings
    .flatMap(({ check, state, message, advice }) => [
      `${state.padEnd(7)}  ${check.padEnd(width)}  ${message}`,
      ...advice.map((line) => `${indent}${line}`),
    ])
    .join('\n')
}

// Runs a program of this repository as its user does, in a separate process. Returns the output and exit code.
import { spawn } from 'node:child_process'

export type ProgramOutcome = { code: number | null; output: string; complaint: string }

/** Returns the variable for this run's compile cache of Node, for a program with an otherwise empty environment. */
export const compiledBefore = (): NodeJS.ProcessEnv => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** Runs `entry` under the Node of this process. `input` is its whole standard input. */
export function runProgram(
  [entry, ...args]: readonly [entry: string, ...args: string[]],
  { env, cwd, input = '' }: { env: NodeJS.ProcessEnv; cwd?: string; input?: string },
): Promise<ProgramOutcome> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...compiledBefore(), ...env },
    cwd,
  })
  const outcome = { output: '', complaint: '' }
  child.stdout.on('data', (chunk) => (outcome.output += String(chunk)))
  child.stderr.on('data', (chunk) => (outcome.complaint += String(chunk)))
  child.stdin.on('error', () => {}) // the program may end without reading its input
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...outcome })))
}

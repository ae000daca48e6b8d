// A program of this repository as its user runs it: in a process of its own, with what it prints and how it ends.
import { spawn } from 'node:child_process'

export type ProgramOutcome = { code: number | null; output: string; complaint: string }

/** For the environment of a program that starts from nothing else: where the run keeps what Node has compiled. */
export const compiledBefore = (): NodeJS.ProcessEnv => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** `entry` under the Node that runs this; `input` is all that it reads. */
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
  child.stdin.on('error', () => {}) // it need not read
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...outcome })))
}

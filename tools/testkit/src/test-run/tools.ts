// Starts the repository's tools under the Node that runs this process, independently of the PATH.

import { spawn, type ChildProcess } from 'node:child_process'
import { dirname, delimiter, join } from 'node:path'
import { REPOSITORY } from '@weir/devstack'

export type ToolOptions = {
  env?: NodeJS.ProcessEnv
  signal: AbortSignal
  /** 'inherit' shows the output immediately. 'collect' returns the output in the outcome. */
  output: 'inherit' | 'collect'
  /** The input of this process. By default there is no input. */
  input?: 'inherit'
  timeoutMs?: number | undefined
}

export type ToolOutcome = { code: number; output: string; seconds: number }

/** Runs a command line of package.json's scripts, as npm would. */
export function runScript(line: string, options: ToolOptions): Promise<ToolOutcome> {
  return run('/bin/sh', ['-c', line], options)
}

export function runNode(args: readonly string[], options: ToolOptions): Promise<ToolOutcome> {
  return run(process.execPath, args, options)
}

function run(command: string, args: readonly string[], options: ToolOptions): Promise<ToolOutcome> {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: REPOSITORY,
    env: toolEnv(options.env),
    stdio: [options.input ?? 'ignore', ...(options.output === 'inherit' ? INHERIT : COLLECT)],
    signal: options.signal,
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  return exitCode(child).then((code) => ({
    code,
    output: Buffer.concat(chunks).toString(),
    seconds: (performance.now() - startedAt) / 1000,
  }))
}

// Some tools print colours in CI, as on a terminal.
const COLOURS = process.stdout.isTTY ? {} : { NO_COLOR: '1' }
const INHERIT = ['inherit', 'inherit'] as const
const COLLECT = ['pipe', 'pipe'] as const

export const toolEnv = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  ...COLOURS,
  ...more,
  PATH: toolPath(),
})

function toolPath(): string {
  const bin = join(REPOSITORY, 'node_modules', '.bin')
  const venv = join(REPOSITORY, '.weir', 'venv', 'bin')
  return [dirname(process.execPath), bin, process.env['PATH'] ?? '', venv].join(delimiter)
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((done) => {
    child.once('error', () => done(1))
    child.once('close', (code) => done(code ?? 1))
  })
}

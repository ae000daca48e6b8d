// Runs the `weir` command as users do: bin/weir.js in a separate process, with the machine's own Node if there is one,
// in an empty folder, with its own profile, and without the developer's environment. With `isHere`, all commands except
// those of `start` run in the test's process (here.ts).
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { runHere } from './here.ts'
import { temporaryFolder } from './temporary.ts'

const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))
const deadlineMs = 60_000
/** A compile cache, because the test run starts the command often. */
export const compiledOnce = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? temporaryFolder(),
}

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  /** Without the line «More: …». */
  readonly stderr: string
  /** The page in the line «More: …», or an empty text. */
  readonly more: string
}

export type RunOptions = {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A command that runs until something ends it. */
export type Running = {
  stdout(): string
  /** Resolves once standard error contains the text. */
  says(text: string): Promise<void>
  ended: Promise<Ended>
  /** Sends Ctrl-C, like a terminal. */
  interrupt(): void
}

export type Weir = {
  readonly folder: string
  readonly profile: string
  /** The words of the line are its arguments. */
  run(line: string, options?: RunOptions): Promise<Ended>
  /** Returns standard output. The command must end with 0. */
  ok(line: string, options?: RunOptions): Promise<string>
  /** Runs the line with `-o json`. Standard error must be empty. */
  json(line: string, options?: RunOptions): Promise<unknown>
  start(line: string, options?: RunOptions): Running
}

export function createWeir({ isHere = false } = {}): Weir {
  const folder = temporaryFolder()
  const profile = join(folder, 'config.json')
  const start = (line: string, options: RunOptions = {}): Running => {
    const { env, cwd = folder } = options
    const child = spawn(bin, line.split(' '), {
      cwd,
      env: { PATH: path(), HOME: folder, WEIR_CONFIG: profile, ...compiledOnce, ...env },
      // A separate process group, as in a terminal.
      detached: true,
    })
    return follow(child, line, options)
  }
  const run = async (line: string, options: RunOptions = {}): Promise<Ended> => {
    if (!isHere) return start(line, options).ended
    const { env, cwd = folder, input = '' } = options
    const own = { HOME: folder, WEIR_CONFIG: profile, ...env }
    return endedWith(await runHere({ args: line.split(' '), cwd, env: own, input }))
  }
  const ok = async (line: string, options?: RunOptions): Promise<string> => {
    const { code, stdout, stderr } = await run(line, options)
    if (code === 0) return stdout
    throw new Error(`weir ${line} ended with ${code}: ${stderr}`)
  }
  const json = async (line: string, options?: RunOptions): Promise<unknown> => {
    const { code, stdout, stderr } = await run(`${line} -o json`, options)
    if (code === 0 && stderr === '') return JSON.parse(stdout)
    throw new Error(`weir ${line} -o json ended with ${code}: ${stderr}`)
  }
  return { folder, profile, run, ok, json, start }
}

function follow(child: ChildProcess, line: string, { input = '' }: RunOptions): Running {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // The command may end before it has read everything.
  child.stdin?.on('error', () => undefined).end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`weir ${line} doesn't end`)), deadlineMs)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      children.delete(child)
      resolve(endedWith({ code, stdout, stderr }))
    })
  })
  // Prevents an unhandled rejection.
  ended.catch(() => undefined)
  children.add(child)
  return {
    stdout: () => stdout,
    async says(text) {
      const isOver = (): boolean => stderr.includes(text) || !children.has(child)
      await pollUntil(isOver, { deadlineMs, what: `weir ${line} saying ${text}` })
      if (!stderr.includes(text)) throw new Error(`weir ${line} ended: ${stderr}`)
    },
    ended,
    interrupt: () => signalGroup(child, 'SIGINT'),
  }
}

function endedWith({ stderr, ...ended }: Omit<Ended, 'more'>): Ended {
  const [line = '', more = ''] = /^ {2}More: (.*)\n/m.exec(stderr) ?? []
  return { ...ended, stderr: stderr.replace(line, ''), more }
}

const children = new Set<ChildProcess>()

afterAll(() => {
  for (const child of children) signalGroup(child, 'SIGKILL')
})

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}

/** Returns a PATH with the machine's own Node first, and the Node of the tests last. */
function path(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const own = folders.filter((folder) => !folder.includes('node_modules'))
  return [...own, dirname(process.execPath)].join(delimiter)
}

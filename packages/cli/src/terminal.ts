// What a command reads from and writes to: results on stdout, everything said to a person on stderr. The
// only file that knows the process's streams; no command calls `process` itself.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Readable } from 'node:stream'
import { failure, misuse } from './errors.ts'
import type { Environment } from './profile.ts'

export type Terminal = {
  readonly env: Environment
  readonly cwd: string
  readonly input: Readable
  /** Somebody sits there and can answer. */
  readonly isInteractive: boolean
  /** A line of the result. False: the reader is behind, wait for `drained`. */
  print(text: string): boolean
  drained(): Promise<void>
  note(text: string): void
  ask(question: string): Promise<string>
  /** As `ask`, and what is typed isn't shown. */
  askHidden(question: string): Promise<string>
  /** Ctrl-C no longer ends the process from here on: the action ends the command. */
  onInterrupt(action: () => void): void
}

type Process = {
  readonly env: Environment
  cwd(): string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  on(event: 'SIGINT', action: () => void): unknown
}

export function createTerminal(process: Process): Terminal {
  const { stdin, stdout, stderr } = process
  const screen = stderr.isTTY ? stderr : stdout
  return {
    env: process.env,
    cwd: process.cwd(),
    input: stdin,
    isInteractive: Boolean(stdin.isTTY && screen.isTTY),
    print: (text) => stdout.write(`${text}\n`),
    drained: () => new Promise((resolve) => stdout.once('drain', resolve)),
    note: (text) => void stderr.write(`${text}\n`),
    ask: (question) => ask(stdin, screen, { echo: screen, question }),
    askHidden: async (question) => {
      const echo = nowhere()
      const answer = await ask(stdin, screen, { echo, question: '' }, () => screen.write(question))
      screen.write('\n')
      return answer
    },
    onInterrupt: (action) => void process.on('SIGINT', action),
  }
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Ctrl-C and the end of the input end the command: no answer is no consent. */
async function ask(
  input: NodeJS.ReadStream,
  screen: NodeJS.WriteStream,
  { echo, question }: { echo: NodeJS.WritableStream; question: string },
  onReady: () => void = () => undefined,
): Promise<string> {
  const lines = createInterface({ input, output: echo, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => reject(failure('no answer, so nothing was done')))
      lines.question(question).then(resolve, reject)
      // Asked before the terminal stopped echoing, a quick answer would be seen.
      onReady()
    })
  } catch (error) {
    screen.write('\n')
    throw error
  } finally {
    lines.close()
  }
}

/** A secret that must not stand in the arguments: from the environment, typed, or the input's first line. */
export async function readSecret(
  terminal: Terminal,
  what: string,
  variable: string,
): Promise<string> {
  const given = terminal.env[variable]
  if (given) return given
  const text = terminal.isInteractive
    ? await terminal.askHidden(`${what}: `)
    : ((await readAll(terminal.input)).split('\n')[0] ?? '')
  const secret = text.trim()
  if (secret === '') throw misuse(`no ${what} given`, `Type it, pipe it in, or set ${variable}.`)
  return secret
}

export async function readAll(input: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input)
    chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)))
  return Buffer.concat(chunks).toString()
}

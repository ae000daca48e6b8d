// The input and output of a command: results on stdout, messages on stderr. Only this file uses the process's streams.
import { fchmodSync, fstatSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Readable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { failure, misuse } from '../errors.ts'
import type { Environment } from '../accounts/profile.ts'

export type Results = {
  /** Prints a line of the result. Returns false if the reader is slow: then wait for `drained`. */
  print(text: string): boolean
  /** Like `print`, with unchanged bytes. */
  write(bytes: Uint8Array): boolean
  drained(): Promise<void>
  /** If the results go into a file, only the owner can read it from now on. */
  keepPrivate(): void
}

/** The person at the terminal, if there is one. */
export type TerminalPerson = {
  /** A person can answer. */
  readonly isInteractive: boolean
  note(text: string): void
  /** Asks even if the input is a file or a pipe. Returns undefined if no terminal controls the process. */
  ask(question: string): Promise<string> | undefined
  /** Asks on stdin, and hides what is typed. */
  askHidden(question: string): Promise<string>
}

export type Interrupts = {
  /** From now on, Ctrl-C and other signals run `action`, and do not end the process. `action` must end the command. */
  onEnd(action: () => void): void
}

export type Terminal = TerminalValues & Results & TerminalPerson & Interrupts

type TerminalValues = {
  readonly env: Environment
  readonly cwd: string
  readonly input: Readable
  /** Results go to a terminal, not into a file or a pipe. */
  readonly isShown: boolean
  /** Undefined if standard error isn't a terminal. */
  readonly screen: Screen | undefined
}

/** The last line of the terminal, for temporary text. */
export type Screen = {
  /** Replaces the line's text; an empty text clears the line. */
  draw(text: string): void
  columns(): number
}

type Process = {
  readonly env: Environment
  cwd(): string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Shown
  readonly stderr: Shown
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP', action: () => void): unknown
}
type Shown = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly fd?: number
}

/** `tty` is the terminal that controls the process. */
export function createTerminal(process: Process, tty = '/dev/tty'): Terminal {
  const { stdin, stdout, stderr } = process
  const screen = stderr.isTTY ? stderr : stdout
  const isInteractive = Boolean(stdin.isTTY && screen.isTTY)
  return {
    env: process.env,
    cwd: process.cwd(),
    input: stdin,
    isInteractive,
    isShown: Boolean(stdout.isTTY),
    screen: stderr.isTTY ? createScreen(stderr) : undefined,
    print: (text) => stdout.write(`${text}\n`),
    write: (bytes) => stdout.write(bytes),
    keepPrivate: () => {
      const { fd } = stdout
      if (fd !== undefined && fstatSync(fd).isFile()) fchmodSync(fd, 0o600)
    },
    drained: () => new Promise((resolve) => stdout.once('drain', resolve)),
    note: (text) => void stderr.write(`${text}\n`),
    ask: (question) =>
      isInteractive
        ? ask(stdin, screen, { echo: screen, question, isHidden: false })
        : askOn(tty, question),
    askHidden: async (question) => {
      const asked = { echo: nowhere(), question: '', isHidden: true }
      const answer = await ask(stdin, screen, asked, () => screen.write(question))
      screen.write('\n')
      return answer
    },
    onEnd: (action) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, action)
    },
  }
}

/** Moves to the start of the line, and erases the line. */
const CLEAR_LINE = '\r\u001b[K'

function createScreen(stderr: Shown): Screen {
  let isDrawn = false
  return {
    draw(text) {
      if (text !== '' || isDrawn) stderr.write(`${CLEAR_LINE}${text}`)
      isDrawn = text !== ''
    },
    columns: () => stderr.columns || 80,
  }
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

type Asked = {
  readonly echo: NodeJS.WritableStream
  readonly question: string
  readonly isHidden: boolean
}

function askOn(tty: string, question: string): Promise<string> | undefined {
  let input: ReadStream
  let screen: WriteStream
  try {
    input = new ReadStream(openSync(tty, 'r'))
    screen = new WriteStream(openSync(tty, 'w'))
  } catch {
    return undefined
  }
  return ask(input, screen, { echo: screen, question, isHidden: false }).finally(() => {
    input.destroy()
    screen.destroy()
  })
}

/** Throws CliError after Ctrl-C or at the end of the input. */
async function ask(
  input: Readable,
  screen: Shown,
  { echo, question, isHidden }: Asked,
  onReady: () => void = () => undefined,
): Promise<string> {
  // Without `terminal`, only one line is read. Further pasted lines remain for the shell.
  const lines = createInterface({ input, output: echo, terminal: isHidden })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => reject(failure('not confirmed, so nothing was done')))
      lines.question(question).then(resolve, reject)
      // A hidden prompt is shown only now, because until now the terminal shows what is typed.
      onReady()
    })
  } catch (error) {
    screen.write('\n')
    throw error
  } finally {
    lines.close()
  }
}

/** Reads a secret that must not be in the arguments: from the environment, a prompt, or the input's first line. */
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

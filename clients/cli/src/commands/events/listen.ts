// `weir listen NAME`: prints a stream's new events, one line of JSON per event, for development. It does not reconnect,
// because nobody would notice the gap.
import type { Command } from 'commander'
import { WebSocket } from 'ws'
import type { RawData } from 'ws'
import { helpIn, unreachable, urlOf } from '../../api/request.ts'
import { CliError, failure } from '../../errors.ts'
import { withCredentials } from '../../api/credentials.ts'
import { idTokenOf, requestToken } from '../../api/id-token.ts'
import { textAt, tryParseJson, valueAt } from '../../json.ts'
import { duration, positiveNumber, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { visible } from '../../terminal/table.ts'
import { coloured, createTally, fieldPath, filterOf, pick } from './listen-view.ts'
import type { Filter, ListenTally } from './listen-view.ts'

type ListenOptions = {
  readonly count?: number
  readonly timeout?: number
  readonly field?: readonly string[]
  readonly filter?: readonly Filter[]
}

const handshakeTimeoutMs = 10_000
/** The service pings every 20 s. */
const silenceMsMax = 60_000

export function addListenCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('listen')
      .summary('print new events of a stream or output')
      .description(
        'print new events of a stream or output, one line of JSON each; for development. ' +
          'In an input stream all personal fields are encrypted. In an output the fields of its levels are decrypted. ' +
          'A terminal shows colours, and encrypted fields are dimmed. NO_COLOR or -o json turns colours off.',
      )
      .argument('<name>', 'a stream or output')
      .option(
        '--field <path>',
        'show only this field, such as customer.id; may be repeated',
        fieldPath,
      )
      .option(
        '--filter <expression>',
        'only events that match: path=value, path!=value, path~part; with several filters, all must match',
        filterOf,
      )
      .option('--count <number>', 'end after this number of events', positiveNumber)
      .option(
        '--timeout <time>',
        'end after this time, such as 30s; exit code 1 if there were fewer than --count',
        duration,
      )
      .action((name: string, options: ListenOptions, command: Command) =>
        listen(open(command), name, options),
      ),
    ['weir listen clicks-marketing', 'until Ctrl-C'],
    [
      "weir listen clicks --filter 'url~/checkout' --filter eventType=click --field customer.id",
      'one field of the matching events',
    ],
    ['weir listen clicks --count 1 --timeout 30s | jq .url', 'one event, or exit 1 after 30 s'],
  )
}

async function listen(session: Session, name: string, options: ListenOptions): Promise<void> {
  const account = await session.knownAccount()
  const url = webSocketUrl(account.outputUrl)
  await withCredentials(session, { name, scope: 'listen' }, async (credentials) => {
    const token = idTokenOf(await requestToken(account, name, credentials))
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeTimeoutMs,
    })
    await follow(session, socket, { name, url, ...options })
  })
}

export function webSocketUrl(outputUrl: string): URL {
  const url = urlOf(outputUrl, ['ws'])
  url.protocol = ['https:', 'wss:'].includes(url.protocol) ? 'wss:' : 'ws:'
  return url
}

type Listening = ListenOptions & { readonly name: string; readonly url: URL }

function follow(session: Session, socket: WebSocket, listening: Listening): Promise<void> {
  const { name, url, count = Infinity, timeout } = listening
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const tally = createTally(pathsOf(listening))
  const show = viewOf(session, listening, tally)
  let received = 0
  let isOpen = false
  const end = (error?: Error): void => {
    if (error) reject(error)
    else resolve()
  }
  const timer =
    timeout === undefined ? undefined : setTimeout(() => end(late(listening, received)), timeout)
  session.terminal.onEnd(() => end())
  watchSilence(socket, () => end(failure(`no message from ${url.origin} for a minute`)))
  socket.on('open', () => {
    isOpen = true
    session.terminal.note(`Listening to ${name}; Ctrl-C ends it.`)
  })
  socket.on('message', (message) => {
    if (received >= count) return
    const line = show(textOf(message))
    if (line === undefined) return
    received += 1
    if (!session.terminal.print(line)) holdBack(session, socket)
    if (received >= count) end()
  })
  socket.on('close', (code) => end(closed(name, code)))
  socket.on('error', (error) => end(unreachable(url, error)))
  onRefusal(socket, (refused) => end(refusedUpgrade(name, refused)))
  return promise.finally(() => {
    clearTimeout(timer)
    hangUp(socket)
    if (isOpen && pathsOf(listening).length > 0) session.tell(tally.sentence())
  })
}

const pathsOf = ({ field = [], filter = [] }: ListenOptions): readonly string[] => [
  ...filter.map(({ path }) => path),
  ...field,
]

function onRefusal(socket: WebSocket, end: (refused: RefusedUpgrade) => void): void {
  socket.on('unexpected-response', (_request, response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('close', () => {
      const { statusCode: status = 0, headers } = response
      const body = Buffer.concat(chunks).toString()
      end({ status, body, code: headers['svc-error'], link: textAt(headers, 'link') })
    })
  })
}

/**
 * Returns a function that returns an event's line, or undefined if the event is filtered out. Without options and
 * colours the line is the received text.
 */
function viewOf(
  session: Session,
  options: ListenOptions,
  tally: ListenTally,
): (text: string) => string | undefined {
  const { field = [], filter = [] } = options
  const isColoured = session.terminal.isShown && !session.isJson && !session.terminal.env.NO_COLOR
  if (field.length === 0 && filter.length === 0 && !isColoured) return oneLine
  return (text) => {
    const event = tryParseJson(text)
    const isMatch = filter.every(({ holds }) => holds(event))
    const missing = tally.count(event, isMatch)
    if (missing !== undefined) session.tell(missing)
    if (!isMatch) return undefined
    const shown = field.length === 0 ? event : pick(event, field)
    return isColoured
      ? coloured(shown, valueAt(event, 'svcMeta', 'keyLink'))
      : JSON.stringify(shown)
  }
}

/** Pauses the socket while the reader is slow, so that no events accumulate here. */
function holdBack({ terminal }: Session, socket: WebSocket): void {
  if (socket.isPaused) return
  socket.pause()
  void terminal.drained().then(() => socket.resume())
}

function watchSilence(socket: WebSocket, onSilence: () => void): void {
  const timer = setTimeout(onSilence, silenceMsMax)
  for (const event of ['open', 'ping', 'message']) socket.on(event, () => timer.refresh())
  socket.once('close', () => clearTimeout(timer))
}

/** Closes the socket, but does not wait long for the response. */
function hangUp(socket: WebSocket): void {
  socket.on('error', () => undefined)
  socket.resume()
  socket.close(1000)
  setTimeout(() => socket.terminate(), 1000).unref()
}

/** Returns the error at the end of the time. Without a count there is no error. */
function late({ name, count, timeout = 0 }: Listening, received: number): CliError | undefined {
  if (count === undefined) return undefined
  return failure(`${received} of ${count} events of ${name} arrived within ${timeout / 1000} s`)
}

export function closed(name: string, code: number): CliError {
  const meaning = closeMeanings[code]
  if (meaning) return failure(`${meaning[0].replaceAll('NAME', name)} (${code})`, meaning[1])
  return failure(
    `the connection ended (${code})`,
    'Listen again. Events that were sent meanwhile are not shown.',
  )
}

const closeMeanings: Readonly<Record<number, readonly [meaning: string, advice: string]>> = {
  1001: ['the service is shutting down', 'Listen again when it is back.'],
  1012: ['the service restarts', 'Listen again when it is back.'],
  1013: [
    'NAME has more events than this connection can receive',
    'Read faster, for instance into a file, or read the Kafka topic instead.',
  ],
  4401: [
    'the token of NAME has expired (a token is valid for one hour), or its credentials were revoked',
    'Listen again. If that is refused, create new credentials with `weir credentials rotate`.',
  ],
  4403: ['NAME is disabled', '`weir stream enable` or `weir output enable` enables it.'],
  4410: ['NAME has been deleted', '`weir stream list` shows the streams.'],
}

export type RefusedUpgrade = {
  readonly status: number
  readonly body: string
  /** From the header `Svc-Error`. */
  readonly code?: unknown
  /** The header `Link`. */
  readonly link?: string | undefined
}

export function refusedUpgrade(name: string, refused: RefusedUpgrade): CliError {
  const { status, body, code, link } = refused
  const said = textAt(tryParseJson(body), 'detail') ?? body.trim()
  const advice: Readonly<Record<number, string>> = {
    401: `Are the credentials of ${name} still valid? \`weir credentials rotate ${name} --save\` creates new ones.`,
    403:
      code === 'scope_missing'
        ? `\`weir credentials rotate ${name} --save\` creates credentials that may listen.`
        : '`weir stream enable` or `weir output enable` enables a disabled stream.',
    404: 'Is WEIR_OUTPUT_URL the address of the output service?',
  }
  const line = advice[status]
  const message = `${visible(said === '' ? `listening to ${name} was refused` : said)} (${status})`
  return new CliError(1, message, { advice: line ? [line] : [], page: helpIn(link) })
}

/** ws gives Buffers by default. */
const textOf = (message: RawData): string => (Buffer.isBuffer(message) ? message.toString() : '')

export const oneLine = (message: string): string =>
  /[\r\n]/.test(message) ? JSON.stringify(tryParseJson(message) ?? message) : message

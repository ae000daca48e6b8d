// `weir simulate NAME`: sends generated events of a contract at a fixed rate, and measures response times.
import { randomBytes } from 'node:crypto'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { sentenceOf, urlOf } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { refuseOutput, withCredentials } from '../../api/credentials.ts'
import { createIdTokenSource } from '../../api/id-token.ts'
import { tryParseJson } from '../../json.ts'
import { duration, positiveNumber, withExamples } from '../../input/options.ts'
import { requireContract } from '../contract.ts'
import type { OpenSession, Session } from '../../session.ts'
import { createEvents } from '../../simulate/events.ts'
import { createHistogram } from '../../simulate/histogram.ts'
import type { Histogram } from '../../simulate/histogram.ts'
import { sendPaced } from '../../simulate/paced-requests.ts'
import type { PacedAnswer } from '../../simulate/paced-requests.ts'
import { renderDetails } from '../../terminal/table.ts'

type SimulateOptions = {
  readonly schema: string
  readonly rate: number
  readonly sessions: number
  readonly levels: readonly (readonly number[])[]
  readonly duration: number
}

const noStatus = 'no answer'

export function addSimulateCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('simulate')
      .summary('send generated events at a fixed rate, and measure response times')
      .description(
        'send generated events of a contract to an input stream at a fixed rate. The events belong to several sessions. ' +
          "Their values fit the contract's schema and pass its validations. A response time is measured from when the " +
          'event was due, even if it could only be sent later; sinceSent is measured from the moment of sending.',
      )
      .argument('<name>', 'an input stream')
      .requiredOption('--schema <id>', 'the schema id of the contract')
      .requiredOption('--rate <number>', 'events a second', positiveNumber)
      .option('--sessions <number>', 'the number of sessions', positiveNumber, 100)
      .addOption(
        new Option('--levels <lists>', 'the consent levels of sessions: lists, separated by /')
          .argParser(levelLists)
          .default(levelLists('0,1/0,1,2'), '0,1/0,1,2'),
      )
      .addOption(
        new Option('--duration <time>', 'such as 500ms, 30s or 5m; a number alone is in seconds')
          .argParser(duration)
          .default(duration('10s'), '10s'),
      )
      .action((name: string, options: SimulateOptions, command: Command) =>
        simulate(open(command), name, options),
      ),
    ['weir simulate demo --schema clickstream --rate 5 --duration 5m', 'a few events to watch'],
    ['weir simulate demo --schema clickstream --rate 2000 --duration 60s', 'a load test'],
    [
      'weir simulate demo --schema clickstream --rate 10 --levels 0/0,1/0,1,2',
      'three groups of sessions, with different consent levels',
    ],
  )
}

/** Parses lists such as `0,1/0,1,2`. An empty list is for sessions without consent. */
function levelLists(text: string): readonly (readonly number[])[] {
  return text.split('/').map((list) => {
    const levels = list === '' ? [] : list.split(',')
    if (!levels.every((level) => /^\d{1,3}$/.test(level) && Number(level) <= 255))
      throw new InvalidArgumentError('It must be lists of levels, 0 to 255, such as 0,1/0,1,2.')
    return levels.map(Number)
  })
}

type Tally = {
  /** All response times, from when each request was due. */
  readonly times: Histogram
  /** Response times from when each request was sent, without the delay of this machine. */
  readonly sentTimes: Histogram
  readonly refused: Map<string, { count: number; sentence: string }>
}

const simulate = (session: Session, name: string, options: SimulateOptions): Promise<void> =>
  withCredentials(session, { name, scope: 'send' }, async (credentials) => {
    const token = createIdTokenSource(session.account(), name, credentials)
    await refuseOutput(session, name, await token())
    await simulateWith(session, token, options)
  })

async function simulateWith(
  session: Session,
  token: () => Promise<string>,
  options: SimulateOptions,
): Promise<void> {
  const { schema, rate, duration: durationMs } = options
  const account = session.account()
  const contract = await requireContract(session, schema)
  const run = randomBytes(3).toString('hex')
  const url = urlOf(account.ingestUrl, ['event'])
  const stopping = new AbortController()
  session.terminal.onEnd(() => stopping.abort())
  const tally = createTally()
  const startedAt = performance.now()
  const showing = setInterval(() => session.tell(progressOf(tally, startedAt)), 1_000)
  try {
    await sendPaced({
      url,
      rate,
      durationMs,
      signal: stopping.signal,
      body: createEvents({ contract, ...options, run, random: Math.random }),
      headers: async () => ({
        ':method': 'POST',
        ':path': url.pathname,
        authorization: `Bearer ${await token()}`,
        'svc-schema-id': schema,
        'content-type': 'application/json',
      }),
      onAnswer: (answer) => count(tally, { ...answer, url }),
    })
  } finally {
    clearInterval(showing)
    show(session, tally, (performance.now() - startedAt) / 1_000)
  }
  const refused = sumOf(tally)
  if (refused > 0) throw failure(`${refused} were not stored, see above`)
}

const createTally = (): Tally => ({
  times: createHistogram(),
  sentTimes: createHistogram(),
  refused: new Map(),
})

function count(
  { times, sentTimes, refused }: Tally,
  answer: PacedAnswer & { readonly url: URL },
): void {
  const { status, ms, sentMs } = answer
  times.add(ms)
  sentTimes.add(sentMs)
  if (status === 204) return
  const key = status === 0 ? noStatus : String(status)
  const known = refused.get(key)
  if (known !== undefined) known.count += 1
  else {
    const sentence = status === 0 ? '' : sentenceOf({ ...answer, json: tryParseJson(answer.text) })
    refused.set(key, { count: 1, sentence })
  }
}

const sumOf = ({ refused }: Tally): number =>
  [...refused.values()].reduce((sum, { count: each }) => sum + each, 0)

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`

function progressOf(tally: Tally, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1_000
  const { times } = tally
  const rejected = sumOf(tally)
  return [
    `${Math.round(seconds)} s`,
    `${Math.round(times.count() / seconds)} a second`,
    `p50 ${ms(times.percentile(0.5))}`,
    `p99 ${ms(times.percentile(0.99))}`,
    `${times.count() - rejected} stored`,
    `${rejected} rejected`,
  ].join('  ')
}

function show(session: Session, tally: Tally, seconds: number): void {
  const { times, sentTimes, refused } = tally
  const rejected = sumOf(tally)
  const rounded = (share: number, of = times): number => Number(of.percentile(share).toFixed(2))
  session.showRecord(
    {
      stored: times.count() - rejected,
      rejected,
      ...(refused.size > 0 ? { refusals: Object.fromEntries(refused) } : {}),
      seconds: Number(seconds.toFixed(1)),
      eventsPerSecond: Number((times.count() / seconds).toFixed(1)),
      p50Ms: rounded(0.5),
      p95Ms: rounded(0.95),
      p99Ms: rounded(0.99),
      maxMs: rounded(1),
      sinceSent: {
        p50Ms: rounded(0.5, sentTimes),
        p95Ms: rounded(0.95, sentTimes),
        p99Ms: rounded(0.99, sentTimes),
      },
    },
    renderDetails,
  )
}

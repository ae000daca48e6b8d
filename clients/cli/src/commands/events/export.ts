// `weir export NAME FILE`: writes the events of a stream's topic to a file for analysts. Loads the Kafka client only
// when it is needed.
import { extname } from 'node:path'
import type { Command } from 'commander'
import { consumerGroupOf, requireBillingId, requireTopic } from '../../accounts/account.ts'
import type { CliAccount } from '../../accounts/account.ts'
import type { StreamCredentials } from '../../accounts/profile.ts'
import { withCredentials } from '../../api/credentials.ts'
import { CliError, failure, misuse } from '../../errors.ts'
import { claimsOf, createIdTokenSource } from '../../api/id-token.ts'
import { urlOf } from '../../api/request.ts'
import { findStream } from '../../api/streams.ts'
import { requireContract } from '../contract.ts'
import {
  brokerList,
  collectText,
  requireSpan,
  timeOption,
  withExamples,
  withFormats,
} from '../../input/options.ts'
import { createProgressLine } from '../../terminal/progress.ts'
import { registryUrlOf } from '../../api/registry.ts'
import type { OpenSession, Session } from '../../session.ts'
import type { ExportRequest } from '../../export/export-events.ts'
import type { Format } from '../../export/format-writer.ts'

type ExportOptions = {
  readonly from?: number
  readonly until?: number
  readonly schema?: readonly string[]
  readonly brokers?: string
  readonly tls?: boolean
  readonly decrypt?: boolean
}

const formats = ['parquet', 'jsonl', 'csv'] as const

export function addExportCommand(program: Command, open: OpenSession): void {
  withExamples(
    withFormats(program.command('export'), formats)
      .summary('write the events of an output to a Parquet, JSONL or CSV file')
      .description(
        "write the events of an output to a file. weir reads them from Kafka, with the output's own token. -o (parquet, jsonl " +
          'or csv) or the ending of FILE (.ndjson is jsonl, too) selects the format. FILE appears only when it is complete, and replaces an existing one.',
      )
      .argument('<name>', 'an output')
      .argument('<file>', 'the file to write; - means standard output')
      .option(
        '--from <time>',
        'only events since this date, this RFC 3339 time, or this long ago, such as -7d (default: all)',
        timeOption,
      )
      .option('--until <time>', 'only events before this date or time (default: now)', timeOption)
      .option('--schema <id>', 'only events of this contract; may be repeated', collectText)
      .option('--decrypt', 'decrypt the events of an output with decryptAt reader, now')
      .option('--brokers <addresses>', "Kafka's listener for analysts, host:port, …", brokerList)
      .option('--tls', 'the listener uses TLS')
      .action((name: string, file: string, options: ExportOptions, command: Command) =>
        exportTo(open(command), { name, file, ...options }),
      ),
    ['weir export clicks-1 clicks.parquet', 'all events that Kafka still retains'],
    [
      'weir export clicks-1 --from 2026-11-01 --until 2026-12-01 -o csv november.csv',
      'a month, for a spreadsheet',
    ],
    ['weir export clicks-1 -o jsonl - | jq -r .url', 'in a pipe'],
    ['weir export lake --decrypt lake.parquet', 'an output whose readers decrypt, decrypted'],
  )
}

type Export = ExportOptions & { readonly name: string; readonly file: string }

async function exportTo(session: Session, what: Export): Promise<void> {
  const { name, file } = what
  requireSpan(what)
  const format = formatOf(session, file)
  if (file === '-' && format === 'parquet' && session.terminal.isShown)
    throw misuse('Parquet cannot be shown on a terminal', 'Give the name of a file, or use a pipe.')
  if (session.account().apiKey !== undefined)
    for (const id of what.schema ?? []) await requireContract(session, id)
  await withCredentials(session, { name, scope: 'listen', isForKafka: true }, (credentials) =>
    exportWith(session, { ...what, format, credentials }),
  )
}

type ExportWith = Export & { readonly format: Format; readonly credentials: StreamCredentials }

async function exportWith(session: Session, what: ExportWith): Promise<void> {
  const { terminal } = session
  const { name, file, format, credentials } = what
  const account = session.account()
  const whyEmpty = [...linesAboutNone(session, what)]
  const { eventsInWords, exportEvents } = await import('../../export/export-events.ts')
  const token = createIdTokenSource(account, name, credentials)
  const progress = createProgressLine(terminal, 'looking')
  const interrupted = new AbortController()
  terminal.onEnd(() => interrupted.abort())
  try {
    const { events, still } = await exportEvents({
      topic: {
        name,
        topic: requireTopic(account, name),
        group: consumerGroupOf(account, credentials),
        brokers: what.brokers ?? account.analystBrokers,
        isTls: what.tls === true,
        token,
        reason: () => reasonNotToRead(session, name),
      },
      registry: { url: registryUrlOf(account), credentials },
      span: { fromMs: what.from, untilMs: what.until },
      contracts: new Set(what.schema),
      format,
      whyEmpty,
      decryptWith: what.decrypt ? keyServiceOf(account, credentials) : undefined,
      terminal,
      file,
      progress,
      signal: interrupted.signal,
    })
    progress.end()
    terminal.note(`${eventsInWords(events)} of ${name} written to ${placeOf(file)}.`)
    const about = linesAbout(claimsOf(await token()), what, still)
    for (const line of [...about, ...(events === 0 ? whyEmpty : [])]) terminal.note(line)
  } finally {
    progress.end()
  }
}

const placeOf = (file: string): string => (file === '-' ? 'standard output' : file)

function keyServiceOf(
  account: CliAccount,
  { clientId, clientSecret }: StreamCredentials,
): ExportRequest['decryptWith'] {
  const { authUrl, outputUrl } = account
  return { authUrl, outputUrl, billingId: requireBillingId(account), clientId, clientSecret }
}

function* linesAbout(
  { isOutput, isForReaders }: ReturnType<typeof claimsOf>,
  { name, decrypt = false, format }: ExportWith,
  still: ReadonlyMap<string, number>,
): Generator<string> {
  if (!isOutput) yield `${name} is an input stream: its personal fields are encrypted.`
  else if (!isForReaders && decrypt)
    yield `Weir decrypts ${name} itself, so --decrypt had nothing to do.`
  else if (isForReaders && !decrypt) {
    yield 'Its personal fields are encrypted. To decrypt them now, add --decrypt.'
    yield format === 'csv'
      ? 'This CSV file cannot be decrypted later; Parquet and JSONL files can.'
      : 'To decrypt the file whenever you read it, use createDecrypter of @weir/client, or weir for Python.'
  }
  for (const [reason, count] of still)
    yield `Still encrypted: ${valuesInWords(count)}, ${reason}: ${reasons[reason] ?? ''}.`
}

const valuesInWords = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'value' : 'values'}`

const reasons: Readonly<Record<string, string>> = {
  erased: 'the person is erased',
  expired: 'older than the keys of the stream',
  refused: 'the output may not show the event any more',
  unknown: 'Weir did not encrypt it for this event',
  no_key: 'the output may not see the level, or the person has withdrawn it',
}

/** Says which events were wanted, and why there may be none. */
function* linesAboutNone(session: Session, what: Export): Generator<string> {
  const { from, until, schema = [] } = what
  const wanted = [
    ...(from === undefined ? [] : [`since ${new Date(from).toISOString()}`]),
    ...(until === undefined ? [] : [`before ${new Date(until).toISOString()}`]),
    ...(schema.length === 0 ? [] : [`of the contract ${schema.join(' or ')}`]),
  ]
  if (wanted.length > 0) yield `Only events ${wanted.join(', ')} were wanted.`
  yield `Why an output may be empty: ${urlOf(session.account().authUrl, ['docs', 'guide', 'faq']).href}`
}

/**
 * Returns auth's reason why the topic can't be read: it explains more than Kafka's error. Returns undefined without an
 * API key or a reason.
 */
async function reasonNotToRead(session: Session, name: string): Promise<CliError | undefined> {
  if (session.account().apiKey === undefined) return undefined
  try {
    const { path, record } = await findStream(session, name)
    const verb = path.length === 2 ? 'stream enable' : `output enable ${path[1]}`
    return record.enabled === false
      ? failure(`${name} is disabled`, `Enable it: weir ${verb} ${name}`)
      : undefined
  } catch (error) {
    return error instanceof CliError ? error : undefined
  }
}

function formatOf(session: Session, file: string): Format {
  const said = formats.find((format) => format === session.format)
  const ending = extname(file).slice(1).toLowerCase()
  const found = ending === 'ndjson' ? 'jsonl' : formats.find((format) => format === ending)
  if (said !== undefined && found !== undefined && said !== found)
    throw misuse(`-o is ${said}, but ${file} is named ${found}`, 'Leave out one of them.')
  if (said !== undefined) return said
  if (found !== undefined) return found
  throw misuse(
    `the format of ${file} is not clear`,
    'Name it .parquet, .jsonl or .csv (which spreadsheets open), or add -o parquet, -o jsonl or -o csv.',
  )
}

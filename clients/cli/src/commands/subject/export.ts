// `weir subject export STREAM VALUE -o FILE`: writes a person's events, decrypted, for the person. auth returns a token
// for these events, and output returns the events. The value is sent to auth in the body of a request, and never
// printed.
import type { Command } from 'commander'
import { download } from '../../export/download.ts'
import type { Advice } from '../../api/request.ts'
import { urlOf } from '../../api/request.ts'
import { failure, misuse } from '../../errors.ts'
import { openOutput } from '../../export/output-file.ts'
import { requireSpan, timeOption, withExamples } from '../../input/options.ts'
import { readValue } from '../../input/values.ts'
import { textAt } from '../../json.ts'
import type { OpenSession, Session } from '../../session.ts'

type ExportOptions = {
  readonly file?: string
  readonly subject?: string | true
  readonly from?: number
  readonly until?: number
  readonly without?: string
}

const advice = {
  404: '`weir stream list` shows the input streams.',
  409: '`weir contract list` shows the contracts.',
} satisfies Advice

export function addSubjectExport(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('export')
      .summary("a person's events, as a file for the person")
      .description(
        "write all events of a person in an input stream to a file, decrypted, with the fields of every level. -o is the file's " +
          'name: with the ending .csv it is CSV, a field on each line; with .jsonl or .ndjson, or on standard output, it is JSONL, an event ' +
          'on each line. The file appears only when it is complete and has an event, and replaces an existing one. Erased events are left out. Events may contain data of other people: read the ' +
          'file before you give it away. The audit log records the request, without the value.',
      )
      .argument('<name>', 'an input stream')
      .argument('[value]', 'the value of the key field')
      .option('-f, --file <file>', 'a file with the value; - means standard input')
      .option('--subject [value]', 'the value is of the data subject field')
      .option(
        '--from <time>',
        'only events since this date, this RFC 3339 time, or this long ago, such as -7d (default: all)',
        timeOption,
      )
      .option('-o, --output <file>', 'the file to write; - means standard output')
      .option('--until <time>', 'only events before this date or time (default: now)', timeOption)
      .option(
        '--without <kinds>',
        "leave out events that name somebody else (other), nobody (linked), or a value that can't be decrypted (encrypted); separated by commas",
      )
      .action((name: string, value: string | undefined, options: ExportOptions, command: Command) =>
        exportTo(open(command), { name, value, ...options }),
      ),
    ['weir subject export clicks session-0001 -o person.jsonl', 'all that the stream has'],
    [
      'weir subject export clicks customer-00042 --subject -o person.csv',
      'all devices of one customer, for a spreadsheet',
    ],
    [
      'weir subject export clicks customer-00042 --subject --without other -o person.csv',
      'without events of the same devices that name somebody else',
    ],
  )
}

type Export = ExportOptions & { readonly name: string; readonly value: string | undefined }

async function exportTo(session: Session, what: Export): Promise<void> {
  const { name } = what
  const { terminal, format: file } = session
  requireSpan(what)
  if (file === 'table')
    throw misuse('a file is wanted', 'Name it with -o. -o - is standard output.')
  if (file !== '-' && !/\.(csv|jsonl|ndjson)$/.test(file))
    throw misuse(
      `the format of ${file} is not clear`,
      'Use a name that ends with .csv, .jsonl or .ndjson.',
    )
  const path = ['streams', name, 'subject-access']
  const json = await personOf(session, what)
  const granted = await session.manage({ method: 'POST', path, json, advice })
  const isCsv = file.endsWith('.csv')
  const url = urlOf(session.account().outputUrl, ['v2', ...path], {
    format: isCsv ? 'csv' : 'ndjson',
    ...(what.without === undefined ? {} : { without: what.without }),
  })
  const interrupted = new AbortController()
  terminal.onEnd(() => interrupted.abort())
  const output = await openOutput(terminal, file)
  const lines = countLines(output.write)
  try {
    const bearer = textAt(granted, 'accessToken') ?? ''
    await download({ url, bearer, signal: interrupted.signal }, lines)
    if (interrupted.signal.aborted) throw failure('ended before everything was written')
    if (lines.count() === (isCsv ? 1 : 0)) throw nothingFound(what)
    await output.complete()
  } finally {
    await output.discard()
  }
  tellCount(session, { file, isCsv, lines: lines.count() })
}

async function personOf(session: Session, what: Export): Promise<unknown> {
  const { subject, from, until } = what
  const given = typeof subject === 'string' ? subject : what.value
  if (typeof subject === 'string' && what.value !== undefined)
    throw misuse('there are two values', 'Give one of them.')
  const value = await readValue(session, given, what.file)
  return {
    ...(subject === undefined ? { keyFieldValue: value } : { subject: value }),
    ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  }
}

function countLines(write: (bytes: Uint8Array) => Promise<void>) {
  let count = 0
  return {
    async write(bytes: Uint8Array): Promise<void> {
      for (const byte of bytes) if (byte === 10) count += 1
      await write(bytes)
    },
    count: () => count,
  }
}

type Written = { readonly file: string; readonly isCsv: boolean; readonly lines: number }

function tellCount(session: Session, { file, isCsv, lines }: Written): void {
  const where = file === '-' ? 'standard output' : file
  const count = `${lines.toLocaleString('en-US')} ${lines === 1 ? 'event' : 'events'}`
  // A value with line breaks takes several lines of CSV, so these cannot be counted here.
  const events = isCsv ? "the person's events, a field on each line" : count
  session.tell(`Written to ${where}: ${events}. Erased events are left out.`)
}

const nothingFound = ({ subject, from, until }: Export) =>
  failure(
    `no event was found, or the person is erased${from === undefined && until === undefined ? '' : ', or has no event in this time'}; no file was written`,
    ...(subject === undefined
      ? ['This looked in the key field. A value of a data_subject_field needs --subject.']
      : []),
    'Values are compared exactly: check the spelling, upper and lower case, too.',
    '`weir person show` searches all streams, by every field that names people.',
  )

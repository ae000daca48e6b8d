// `weir usage NAME`: the usage of an input stream, by pieces of time.
import { Option } from 'commander'
import type { Command } from 'commander'
import { isObject, listAt, valueAt } from '../json.ts'
import { timeText, withExamples, withFormats } from '../input/options.ts'
import type { OpenSession, Session } from '../session.ts'

type UsageOptions = {
  readonly by?: string
  readonly from?: string
  readonly until?: string
}

export function addUsageCommand(program: Command, open: OpenSession): void {
  withExamples(
    withFormats(program.command('usage'), ['table', 'json', 'csv'])
      .description('usage of an input stream: events, bytes, refused requests')
      .argument('<name>')
      .addOption(
        new Option('--by <length>', 'the length of each interval (default: 1h)').choices([
          '1m',
          '15m',
          '1h',
          '1d',
        ]),
      )
      .option(
        '--from <time>',
        'a date, an RFC 3339 time, or -6h for six hours ago (default for 1m: -1h; 15m and 1h: -24h; 1d: -30d)',
        timeText,
      )
      .option('--until <time>', 'a date, an RFC 3339 time, or -1h (default: now)', timeText)
      .action((name: string, options: UsageOptions, command: Command) =>
        showUsage(open(command), name, options),
      ),
    ['weir usage clicks', 'the last day, by hour'],
    ['weir usage clicks --by 1m', 'the last hour, by minute'],
    ['weir usage clicks --by 1d --from 2026-11-01 -o csv > november.csv', 'for a spreadsheet'],
  )
}

async function showUsage(session: Session, name: string, options: UsageOptions): Promise<void> {
  const path = ['streams', name, 'usage']
  const answer = await session.manage({ method: 'GET', path, query: queryOf(options) })
  const items = listAt(answer, 'usage')
  if (session.format === 'csv') return printCsv(session, items)
  session.showList({
    answer,
    items,
    columns: {
      FROM: (piece) => valueAt(piece, 'from'),
      EVENTS: (piece) => valueAt(piece, 'events'),
      BYTES: (piece) => valueAt(piece, 'bytes'),
      REFUSED: refusedOf,
    },
    whenEmpty: 'Nothing.',
  })
  const [events, bytes] = [valueAt(answer, 'total', 'events'), valueAt(answer, 'total', 'bytes')]
  const refused = refusedOf(valueAt(answer, 'total'))
  session.tell(`In total ${String(events)} events, ${String(bytes)} bytes, ${refused} refused.`)
}

function queryOf({ by, from, until }: UsageOptions): Record<string, string> {
  return {
    ...(by === undefined ? {} : { by }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  }
}

function printCsv({ terminal }: Session, items: readonly unknown[]): void {
  const rows = items.map((piece) =>
    [...['from', 'events', 'bytes'].map((name) => valueAt(piece, name)), refusedOf(piece)].join(
      ',',
    ),
  )
  terminal.print(['from,events,bytes,refused', ...rows].join('\n'))
}

/** The sum over all reasons. */
function refusedOf(piece: unknown): number {
  const refused = valueAt(piece, 'refused')
  if (!isObject(refused)) return 0
  return Object.values(refused).reduce((sum: number, count) => sum + Number(count), 0)
}

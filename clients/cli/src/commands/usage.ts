// `weir usage NAME`: shows the usage of an input stream, by intervals.
import { Option } from 'commander'
import type { Command } from 'commander'
import { isObject, listAt, valueAt } from '../json.ts'
import { timeText, withExamples, withFormats } from '../input/options.ts'
import type { OpenSession, Session } from '../session.ts'
import { visible } from '../terminal/table.ts'

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
  const total = valueAt(answer, 'total')
  session.tell(
    `In total ${String(events)} events, ${String(bytes)} bytes, ${refusedOf(total)} refused${byCode(total)}.`,
  )
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

const refusals = (piece: unknown): readonly (readonly [code: string, count: number])[] => {
  const refused = valueAt(piece, 'refused')
  return isObject(refused)
    ? Object.entries(refused).map(([code, count]) => [code, Number(count)] as const)
    : []
}

/** Returns the sum over all error codes. */
const refusedOf = (piece: unknown): number =>
  refusals(piece).reduce((sum, [, count]) => sum + count, 0)

/** Returns a text such as ` (undecodable 7, too_large 1)`, with the most frequent code first. */
function byCode(total: unknown): string {
  const words = refusals(total)
    .toSorted(([, a], [, b]) => b - a)
    .map(([code, count]) => `${visible(code)} ${count}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

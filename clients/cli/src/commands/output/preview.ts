// `weir output preview`: shows what an output with some levels would contain, from the newest events of its input.
// Creates nothing.
import { Option } from 'commander'
import type { Command } from 'commander'
import { listAt, textAt, valueAt } from '../../json.ts'
import { collectLevel, positiveNumber, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { inputAdvice } from '../../api/streams.ts'
import { renderDetails, renderTable } from '../../terminal/table.ts'
import { inputArgument, outputPathOf, requireOneLevelIfCumulative } from './parts.ts'
import type { LevelOptions } from './parts.ts'

type PreviewOptions = LevelOptions & { readonly last?: number }

export function addPreviewCommand(noun: Command, open: OpenSession): void {
  const type = new Option('--type <type>', 'how the levels select events and fields')
  withExamples(
    noun
      .command('preview')
      .description(
        'what an output with these levels would contain, from the newest events; creates nothing',
      )
      .argument(...inputArgument)
      .requiredOption('--level <level>', 'a consent level, 0 to 255; may be repeated', collectLevel)
      .addOption(type.choices(['CUMULATIVE', 'GRANULAR']).default('CUMULATIVE'))
      .option(
        '--last <number>',
        'number of events to use, at most 10000 (default: 1000)',
        positiveNumber,
      )
      .action((input: string, options: PreviewOptions, command: Command) =>
        preview(open(command), input, options),
      ),
    [
      'weir output preview clicks --level 2',
      'how many events pass, and which fields are decrypted',
    ],
    ['weir output preview clicks --level 1 --level 3 --type GRANULAR --last 10000', 'more events'],
    ['weir output preview clicks --level 2 -o json | jq .samples', 'sample events of the output'],
  )
}

async function preview(session: Session, input: string, options: PreviewOptions): Promise<void> {
  requireOneLevelIfCumulative(options)
  const { level, type, last } = options
  const answer = await session.manage({
    method: 'POST',
    service: 'output',
    path: outputPathOf(input, 'preview'),
    json: { consentLevels: level, consentLevelType: type, last },
    advice: { ...inputAdvice, 429: 'Too many requests are in progress. Try again in a moment.' },
  })
  session.showRecord(answer, renderPreview)
  const events = Number(valueAt(answer, 'events'))
  if (events > 0 && valueAt(answer, 'filtered') === events)
    session.tell(
      `Nobody in the newest events (${events}) has consented to level ${level.join(' and ')}: ` +
        'the output would contain none of these events.',
    )
}

/** Renders the counts, then the fields. Only `-o json` shows the sample events. */
function renderPreview(answer: unknown): string {
  const counts = ['events', 'passed', 'filtered', 'failed', 'errors'].map((name) => [
    name,
    valueAt(answer, name),
  ])
  const isThere = ([, value]: unknown[]): boolean => JSON.stringify(value) !== '{}'
  const details = renderDetails(Object.fromEntries(counts.filter(isThere)))
  const fields = listAt(answer, 'fields')
  if (fields.length === 0) return details
  const rows = fields.map((field) => [
    textAt(field, 'contract'),
    textAt(field, 'path'),
    valueAt(field, 'level'),
    valueAt(field, 'opened'),
    valueAt(field, 'sealed'),
  ])
  return `${details}\n\n${renderTable(['CONTRACT', 'FIELD', 'LEVEL', 'DECRYPTED', 'ENCRYPTED'], rows)}`
}

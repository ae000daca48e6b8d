// `weir output dead …`: lists dead-lettered records, and derives them again. Also reads an output's lag. All requests
// are to the output service.
import type { Command } from 'commander'
import type { Advice } from '../../api/request.ts'
import { CliError } from '../../errors.ts'
import { listAt, textAt, valueAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { outputAdvice } from '../../api/streams.ts'
import { inputArgument, nameArgument, outputPathOf } from './parts.ts'

const advice = {
  ...outputAdvice,
  409: '`weir output enable` enables a disabled output. An output with another decrypter is served by another output service.',
  429: 'Too many requests are in progress. Try again in a moment.',
} satisfies Advice

export function addDeadCommands(noun: Command, open: OpenSession): void {
  const dead = noun
    .command('dead')
    .description('dead-lettered records: records that could not be derived')
  withExamples(
    dead
      .command('list')
      .description('the dead-lettered records, newest first, without their values')
      .argument(...inputArgument)
      .argument(...nameArgument)
      .action((input: string, name: string, _options: unknown, command: Command) =>
        list(open(command), input, name),
      ),
    ['weir output dead list clicks clicks-marketing', 'with origin and error'],
    ['weir output dead list clicks clicks-marketing -o json | jq .total', 'only their number'],
  )
  withExamples(
    dead
      .command('retry')
      .summary('derive the dead-lettered records again, after the cause was corrected')
      .description(
        'derive the dead-lettered records again, after the cause was corrected. Each record appears once in the output, ' +
          'however often you retry. It appears late: after events that were sent later.',
      )
      .argument(...inputArgument)
      .argument(...nameArgument)
      .action((input: string, name: string, _options: unknown, command: Command) =>
        retry(open(command), input, name),
      ),
    ['weir output dead retry clicks clicks-marketing', 'prints how many passed'],
  )
}

async function list(session: Session, input: string, name: string): Promise<void> {
  const path = outputPathOf(input, name, 'dead')
  const answer = await session.manage({ method: 'GET', service: 'output', path, advice })
  const items = listAt(answer, 'dead')
  session.showList({
    answer,
    items,
    columns: {
      AT: (record) => textAt(record, 'at'),
      ERROR: (record) => textAt(record, 'error'),
      CONTRACT: (record) => textAt(record, 'schemaId'),
      SOURCE: (record) => textAt(record, 'source'),
    },
    whenEmpty: `${name} has no dead-lettered records: every event of ${input} could be derived.`,
  })
  const total = Number(valueAt(answer, 'total'))
  if (total > items.length) session.tell(`The newest ${items.length} of ${total}.`)
}

async function retry(session: Session, input: string, name: string): Promise<void> {
  const path = outputPathOf(input, name, 'dead', 'retry')
  const answer = await session.manage({ method: 'POST', service: 'output', path, advice })
  session.showRecord(answer)
  if (valueAt(answer, 'more') === true)
    session.tell('There are more dead-lettered records. Run the command again.')
}

/**
 * Reads the lag for `weir output show`. Returns nothing if the output service is unreachable, so that the record is
 * shown all the same.
 */
export async function readLag(
  session: Session,
  input: string,
  name: string,
): Promise<{ lag?: unknown; dead?: unknown }> {
  try {
    const path = outputPathOf(input, name, 'lag')
    const answer = await session.manage({ method: 'GET', service: 'output', path })
    return { lag: valueAt(answer, 'lag'), dead: valueAt(answer, 'dead') }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    session.tell(`Its lag is unknown: ${error.message}`)
    return {}
  }
}

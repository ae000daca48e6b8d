// `weir output rebuild`: deletes the events of an output, and derives them again from its input.
import type { Command } from 'commander'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { outputAdvice } from '../../api/streams.ts'
import { valueAt } from '../../json.ts'
import { waitForBackfill } from './backfill.ts'
import { inputArgument, nameArgument, outputPathOf } from './parts.ts'

type RebuildOptions = {
  readonly acceptLoss?: boolean
  readonly wait?: boolean
  readonly yes?: boolean
}

export function addRebuildCommand(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('rebuild')
      .summary('delete the events of an output and derive them again; asks first on a terminal')
      .description(
        'delete the events of an output and derive them again; asks first on a terminal.\n' +
          'Fields whose keys were erased or withdrawn since then stay encrypted. Consumers get the events again.',
      )
      .argument(...inputArgument)
      .argument(...nameArgument)
      .option('--accept-loss', 'also if the input stream no longer has all of the events')
      .option('--wait', 'wait until the stored events are derived')
      .option('-y, --yes', "don't ask")
      .action((input: string, name: string, options: RebuildOptions, command: Command) =>
        rebuild(open(command), { input, name, ...options }),
      ),
    ['weir output rebuild clicks clicks-marketing --wait', 'after an erasure'],
  )
}

async function rebuild(
  session: Session,
  { input, name, ...options }: RebuildOptions & { readonly input: string; readonly name: string },
): Promise<void> {
  const question = `This deletes all events of the output ${name} of ${input}, and derives them again.`
  await session.confirm({ question, name }, options.yes)
  const record = await session.manage({
    method: 'POST',
    path: outputPathOf(input, name, 'rebuild'),
    json: { acceptLoss: options.acceptLoss },
    advice: {
      ...outputAdvice,
      409: `To lose these events: weir output rebuild ${input} ${name} --accept-loss`,
    },
  })
  if (valueAt(record, 'enabled') === false) {
    session.showRecord(record)
    const command = `weir output enable ${input} ${name}`
    return session.tell(
      `${name} is disabled. It derives its events again once it is enabled: ${command}`,
    )
  }
  if (!options.wait) return session.showRecord(record)
  await waitForBackfill(session, input, name, Number(valueAt(record, 'rebuild', 'number')))
  const path = outputPathOf(input, name)
  session.showRecord(await session.manage({ method: 'GET', path, advice: outputAdvice }))
}

// `weir output …`: streams derived from an input stream, one for each set of consent levels.
import { Option } from 'commander'
import type { Command } from 'commander'
import { valueAt } from '../../json.ts'
import { collectLevel, collectText, hoursOrBroker, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import {
  inputAdvice,
  linkedStreamOf,
  listOutputsWhole,
  outputAdvice,
  readWhole,
  saveNew,
  showDeleted,
  tellOnce,
} from '../../api/streams.ts'
import { streamNameOf } from '../../api/stream-records.ts'
import { confirmLosses } from '../retention.ts'
import { waitForBackfill } from './backfill.ts'
import { addDeadCommands, readLag } from './dead.ts'
import { inputArgument, nameArgument, outputPathOf, requireOneLevelIfCumulative } from './parts.ts'
import { addPreviewCommand } from './preview.ts'
import { addRebuildCommand } from './rebuild.ts'

type CreateOptions = {
  readonly level: readonly number[]
  readonly type: 'CUMULATIVE' | 'GRANULAR'
  readonly from?: 'earliest' | 'now'
  readonly decrypter?: string
  readonly tag?: readonly string[]
  readonly retentionHours?: number | 'broker'
  readonly save?: boolean
  readonly wait?: boolean
}

type UpdateOptions = { readonly retentionHours: number | 'broker'; readonly yes?: boolean }

export function addOutputCommands(program: Command, open: OpenSession): void {
  const noun = program.command('output').description('outputs: what consumers may read')
  addCreate(noun, open)
  withExamples(
    noun
      .command('list')
      .description('the outputs of an input stream')
      .argument(...inputArgument)
      .action((input: string, _options: unknown, command: Command) => list(open(command), input)),
    ['weir output list clicks', 'a table'],
  )
  withExamples(
    noun
      .command('show')
      .description('the details of an output')
      .argument(...inputArgument)
      .argument(...nameArgument)
      .action(async (input: string, name: string, _options: unknown, command: Command) => {
        const session = open(command)
        const record = await readWhole(session, outputPathOf(input, name), outputAdvice)
        session.showRecord({ ...record, ...(await readLag(session, input, name)) })
      }),
    ['weir output show clicks clicks-marketing', 'its levels and its lag'],
  )
  addUpdate(noun, open)
  addRebuildCommand(noun, open)
  addSwitches(noun, open)
  addDeadCommands(noun, open)
  addPreviewCommand(noun, open)
  addDelete(noun, open)
}

const retention =
  'how long Kafka keeps the events and the dead-lettered records, in hours; "broker" for the setting of Kafka'

function addCreate(noun: Command, open: OpenSession): void {
  const type = new Option('--type <type>', 'how the levels select events and fields')
  withExamples(
    noun
      .command('create')
      .summary('create an output; prints it with its credentials')
      .description(
        'create an output; prints it with its credentials.\n' +
          'CUMULATIVE (one level L): events with consent to L; fields of level L and below are decrypted.\n' +
          'GRANULAR (one or more): events with consent to all of them; only fields of these levels are decrypted.',
      )
      .argument(...inputArgument)
      .argument('<name>', 'the new output')
      .requiredOption('--level <level>', 'a consent level, 0 to 255; may be repeated', collectLevel)
      .addOption(type.choices(['CUMULATIVE', 'GRANULAR']).default('CUMULATIVE'))
      .addOption(
        new Option('--from <start>', 'which event to start from').choices(['earliest', 'now']),
      )
      .option('--decrypter <name>', 'the decrypter that serves the output (default: default)')
      .option('--tag <tag>', 'a tag; may be repeated', collectText)
      .option('--retention-hours <hours>', `${retention} (default: 168)`, hoursOrBroker)
      .option('--save', 'save the credentials in the profile, for listen and token')
      .option(
        '--wait',
        'wait until the stored events are derived; without this option they are derived in the background',
      )
      .action((input: string, name: string, options: CreateOptions, command: Command) =>
        create(open(command), input, name, options),
      ),
    ['weir output create clicks clicks-marketing --level 2 --save', 'new events, levels 0 to 2'],
    [
      'weir output create clicks ads --level 1 --level 3 --type GRANULAR',
      'exactly these two levels',
    ],
    [
      'weir output create clicks audit --level 0 --from earliest --wait',
      'also the events that are already stored',
    ],
  )
}

function addUpdate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('update')
      .description(
        'change how long an output keeps its events. A shorter time deletes older events, and asks first on a terminal',
      )
      .argument(...inputArgument)
      .argument(...nameArgument)
      .requiredOption('--retention-hours <hours>', retention, hoursOrBroker)
      .option('-y, --yes', "don't ask before events are deleted")
      .action((input: string, name: string, options: UpdateOptions, command: Command) =>
        update(open(command), outputPathOf(input, name), { name, ...options }),
      ),
    [
      'weir output update clicks clicks-marketing --retention-hours 24',
      'its events are deleted about a day after they were derived',
    ],
  )
}

function addSwitches(noun: Command, open: OpenSession): void {
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withExamples(
      noun
        .command(verb)
        .description(
          enabled
            ? 'enable an output; it continues where it was disabled'
            : 'disable an output; no event is lost',
        )
        .argument(...inputArgument)
        .argument(...nameArgument)
        .action(async (input: string, name: string, _options: unknown, command: Command) => {
          const session = open(command)
          const path = outputPathOf(input, name)
          const advice = outputAdvice
          session.showRecord(
            await session.manage({ method: 'PATCH', path, json: { enabled }, advice }),
          )
        }),
      [`weir output ${verb} clicks clicks-marketing`, enabled ? 'after a pause' : 'for a while'],
    )
  }
}

function addDelete(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('delete')
      .description('delete an output and its events; asks first on a terminal')
      .argument(...inputArgument)
      .argument(...nameArgument)
      .option('-y, --yes', "don't ask")
      .action((input: string, name: string, options: { yes?: boolean }, command: Command) =>
        remove(open(command), input, name, options.yes),
      ),
    ['weir output delete clicks clicks-marketing', 'the input stream stays as it is'],
  )
}

async function create(
  session: Session,
  input: string,
  name: string,
  options: CreateOptions,
): Promise<void> {
  const record = await session.manage({
    method: 'POST',
    path: outputPathOf(input),
    json: outputDraft(name, options),
    advice: inputAdvice,
  })
  // Shown before it is saved, because the service sends the secret only once.
  session.showRecord(record)
  await (options.save ? saveNew(session, name, record) : tellOnce(session))
  if (options.from === undefined)
    session.tell(`${name} starts with new events; --from earliest also derives the stored ones.`)
  if (options.wait) await waitForBackfill(session, input, name)
}

/** The request body of the creation. */
export function outputDraft(name: string, options: CreateOptions): unknown {
  requireOneLevelIfCumulative(options)
  return {
    name,
    consentLevels: options.level,
    consentLevelType: options.type,
    decrypterName: options.decrypter,
    tags: options.tag,
    retentionHours: options.retentionHours,
    from: options.from,
  }
}

async function update(
  session: Session,
  path: readonly string[],
  { name, ...options }: UpdateOptions & { readonly name: string },
): Promise<void> {
  const advice = outputAdvice
  await confirmLosses(session, { name, path, advice }, options)
  const json = { retentionHours: options.retentionHours }
  session.showRecord(await session.manage({ method: 'PATCH', path, json, advice }))
}

async function list(session: Session, input: string): Promise<void> {
  const items = await listOutputsWhole(session, input)
  session.showList({
    answer: items,
    items,
    columns: {
      NAME: streamNameOf,
      INPUT: linkedStreamOf,
      LEVELS: (output) => valueAt(output, 'consentLevels'),
      TYPE: (output) => output.consentLevelType,
      ENABLED: (output) => output.enabled,
      TAGS: (output) => valueAt(output, 'tags'),
    },
    whenEmpty: `No outputs yet: \`weir output create ${input} NAME --level L --save\` creates one.`,
  })
}

async function remove(
  session: Session,
  input: string,
  name: string,
  yes: boolean | undefined,
): Promise<void> {
  const question = `This deletes the output ${name} of ${input}, with all its events.`
  await session.confirm({ question, name }, yes)
  const path = outputPathOf(input, name)
  const answer = await session.manage({ method: 'DELETE', path, advice: outputAdvice })
  await showDeleted(session, answer)
}

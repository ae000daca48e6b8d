// `weir output …`: manages outputs.
import type { Command } from 'commander'
import { isObject, valueAt } from '../../json.ts'
import type { JsonObject } from '../../json.ts'
import { collectText, hoursOrBroker, positiveNumber, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import {
  fetchOutputs,
  linkedStreamOf,
  listInputNames,
  outputAdvice,
  showDeleted,
} from '../../api/streams.ts'
import { streamNameOf } from '../../api/stream-records.ts'
import { confirmLosses, needsOwner, requireChange } from '../retention.ts'
import { addCreateCommand } from './create.ts'
import { addDeadCommands, readLag } from './dead.ts'
import { inputArgument, keyMaxAge, nameArgument, outputPathOf, retention } from './parts.ts'
import { addPreviewCommand } from './preview.ts'
import { addRebuildCommand } from './rebuild.ts'

type UpdateOptions = {
  readonly retentionHours?: number | 'broker'
  readonly keyMaxAge?: number
  readonly tag?: readonly string[]
  readonly yes?: boolean
}

export function addOutputCommands(program: Command, open: OpenSession): void {
  const noun = program.command('output').description('outputs: what consumers may read')
  addCreateCommand(noun, open)
  withExamples(
    noun
      .command('list')
      .description('the outputs of an input stream, or of all')
      .argument('[input]', inputArgument[1])
      .action((input: string | undefined, _options: unknown, command: Command) =>
        list(open(command), input),
      ),
    ['weir output list clicks', 'a table'],
    ['weir output list', 'of all input streams'],
  )
  withExamples(
    noun
      .command('show')
      .description('the details of an output')
      .argument(...inputArgument)
      .argument(...nameArgument)
      .action(async (input: string, name: string, _options: unknown, command: Command) => {
        const session = open(command)
        const path = outputPathOf(input, name)
        const record = await session.manage({ method: 'GET', path, advice: outputAdvice })
        session.showRecord({
          ...(isObject(record) ? record : {}),
          ...(await readLag(session, input, name)),
        })
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

function addUpdate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('update')
      .description(
        'change the tags of an output, and how long it keeps its events, or its readers their keys. A shorter time for events deletes older ones, and asks first on a terminal',
      )
      .argument(...inputArgument)
      .argument(...nameArgument)
      .option('--retention-hours <hours>', retention, hoursOrBroker)
      .option('--key-max-age <seconds>', keyMaxAge, positiveNumber)
      .option('--tag <tag>', 'a tag, instead of those until now; may be repeated', collectText)
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

async function update(
  session: Session,
  path: readonly string[],
  { name, keyMaxAge: keyMaxAgeSeconds, ...options }: UpdateOptions & { name: string },
): Promise<void> {
  const advice = { ...outputAdvice, ...needsOwner(options) }
  const json = { tags: options.tag, retentionHours: options.retentionHours, keyMaxAgeSeconds }
  requireChange(json)
  await confirmLosses(session, { name, path, advice }, options)
  session.showRecord(await session.manage({ method: 'PATCH', path, json, advice }))
}

async function list(session: Session, input: string | undefined): Promise<void> {
  const inputs = input === undefined ? await listInputNames(session) : [input]
  const items: JsonObject[] = []
  for (const name of inputs) items.push(...(await fetchOutputs(session, name)))
  session.showList({
    answer: items,
    items,
    columns: {
      NAME: streamNameOf,
      INPUT: linkedStreamOf,
      LEVELS: (output) => valueAt(output, 'consentLevels'),
      TYPE: (output) => output.consentLevelType,
      'DECRYPTED BY': (output) => (output.decryptAt === 'reader' ? 'readers' : 'weir'),
      ENABLED: (output) => output.enabled,
      TAGS: (output) => valueAt(output, 'tags'),
    },
    whenEmpty: `No outputs yet: \`weir output create ${input ?? 'INPUT'} NAME --level L --save\` creates one.`,
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

// `weir stream …`: manages input streams.
import type { Command } from 'commander'
import { failure } from '../errors.ts'
import { accountInWords } from '../accounts/account.ts'
import { textAt, valueAt } from '../json.ts'
import {
  collectText,
  digits,
  hoursOrBroker,
  positiveNumber,
  withExamples,
} from '../input/options.ts'
import type { OpenSession, Session } from '../session.ts'
import {
  inputAdvice,
  fetchOutputs,
  fetchStreams,
  nameAdvice,
  saveNew,
  showDeleted,
  tellOnce,
} from '../api/streams.ts'
import { streamNameOf, streamRecordsOf } from '../api/stream-records.ts'
import { confirmLosses, needsOwner, requireChange } from './retention.ts'
import type { Retention } from './retention.ts'

type Settings = {
  readonly rate?: string
  readonly count?: string
  readonly tag?: readonly string[]
} & Retention

type UpdateOptions = Settings & { readonly yes?: boolean }

type CreateOptions = Settings & {
  readonly save?: boolean
  readonly partitions?: number
  readonly rotationHours?: number
}

type DeleteOptions = { readonly recursive?: boolean; readonly yes?: boolean }

export function addStreamCommands(program: Command, open: OpenSession): void {
  const noun = program.command('stream').description('input streams: what producers send to')
  addCreate(noun, open)
  withExamples(
    noun
      .command('list')
      .description('the input streams of the account')
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir stream list', 'a table'],
    ["weir stream list -o json | jq -r '.[].ref.name'", 'only the names'],
  )
  withExamples(
    noun
      .command('show')
      .description('the details of an input stream')
      .argument('<name>')
      .action((name: string, _options: unknown, command: Command) => show(open(command), name)),
    ['weir stream show clicks', 'limits, tags, enabled or not'],
  )
  addUpdate(noun, open)
  addSwitches(noun, open)
  withExamples(
    noun
      .command('delete')
      .description(
        'delete an input stream, its events, its keys, and the records of its erasures with their receipts; asks first on a terminal',
      )
      .argument('<name>')
      .option('--recursive', 'also delete the outputs of the stream')
      .option('-y, --yes', "don't ask")
      .action((name: string, options: DeleteOptions, command: Command) =>
        remove(open(command), name, options),
      ),
    ['weir stream delete clicks', 'a stream without outputs'],
    ['weir stream delete clicks --recursive --yes', 'also its outputs, without confirmation'],
  )
}

function addCreate(noun: Command, open: OpenSession): void {
  withExamples(
    withSettings(
      noun
        .command('create')
        .description('create an input stream; prints it with its credentials')
        .argument('<name>', 'lower-case letters, digits and single dashes, at most 63')
        .option('--save', 'save the credentials in the profile, for send, listen and token')
        .option('--partitions <number>', 'Kafka partitions, 1 to 100 (default: 3)', positiveNumber)
        .option(
          '--rotation-hours <hours>',
          'rotation period of keys in hours: 1 2 3 4 6 8 12 24',
          positiveNumber,
        ),
    ).action((name: string, options: CreateOptions, command: Command) =>
      create(open(command), name, options),
    ),
    ['weir stream create clicks --save', 'this machine can then send to the stream'],
    [
      'weir stream create clicks --partitions 12 --rate 5000 --tag web --tag eu',
      'with partitions, limits and tags',
    ],
    [
      'weir stream create clicks -o json > clicks.json',
      'for a program; the file contains a secret',
    ],
  )
}

/** Adds the options that `create` and `update` have. */
const withSettings = (command: Command): Command =>
  command
    .option('--rate <events>', 'maximum number of events per second', digits)
    .option('--count <events>', 'maximum number of events per calendar month (UTC)', digits)
    .option('--tag <tag>', 'a tag; may be repeated', collectText)
    .option(
      '--retention-hours <hours>',
      'how long Kafka keeps the events, in hours; "broker" for the setting of Kafka',
      hoursOrBroker,
    )
    .option(
      '--key-retention-days <days>',
      'how long events can be decrypted; keys that are older are destroyed',
      positiveNumber,
    )

function addUpdate(noun: Command, open: OpenSession): void {
  withExamples(
    withSettings(
      noun
        .command('update')
        .description(
          'change the settings of an input stream; the others stay as they are. ' +
            'A shorter retention deletes older events or keys, and asks first on a terminal',
        )
        .argument('<name>')
        .option('-y, --yes', "don't ask before events or keys are deleted"),
    ).action((name: string, options: UpdateOptions, command: Command) =>
      update(open(command), name, options),
    ),
    ['weir stream update clicks --retention-hours 720', 'events are kept for 30 days'],
    ['weir stream update clicks --rate 5000 --tag web', 'a limit and the tags'],
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
          enabled ? 'accept events again' : 'refuse events until the stream is enabled again',
        )
        .argument('<name>')
        .action(async (name: string, _options: unknown, command: Command) => {
          const session = open(command)
          const path = ['streams', name]
          const advice = inputAdvice
          session.showRecord(
            await session.manage({ method: 'PATCH', path, json: { enabled }, advice }),
          )
        }),
      [`weir stream ${verb} clicks`, enabled ? 'after a pause' : 'producers get 403 from now on'],
    )
  }
}

async function create(session: Session, name: string, options: CreateOptions): Promise<void> {
  const record = await session.manage({
    method: 'POST',
    path: ['streams'],
    json: streamDraft(name, options),
    advice: { ...nameAdvice, ...needsOwner(options) },
  })
  // Shown before saving, because the service sends the secret only once.
  session.showRecord(record)
  warnOfKeys(session, record)
  await (options.save ? saveNew(session, name, record) : tellOnce(session, name, record))
}

async function update(session: Session, name: string, options: UpdateOptions): Promise<void> {
  const json = changesOf(options)
  const path = ['streams', name]
  const advice = { ...inputAdvice, ...needsOwner(options) }
  await confirmLosses(session, { name, path, advice }, options)
  const record = await session.manage({ method: 'PATCH', path, json, advice })
  session.showRecord(record)
  warnOfKeys(session, record)
}

function warnOfKeys(session: Session, record: unknown): void {
  const hours = valueAt(record, 'retentionHours')
  const days = valueAt(record, 'keyRetentionDays')
  if (typeof hours === 'number' && typeof days === 'number' && hours > days * 24)
    session.terminal.note(
      `warning: Kafka keeps the events for ${hours} hours, but their keys are destroyed after ${days} ${days === 1 ? 'day' : 'days'}. Then nobody can decrypt their personal fields.`,
    )
}

/** Returns only given options, because the service has the defaults. */
export function streamDraft(name: string, options: CreateOptions): unknown {
  const { partitions, rotationHours } = options
  return { name, partitions, rotationHours, ...settingsOf(options) }
}

/** Returns the changes. Throws if there are none. */
function changesOf(options: UpdateOptions): unknown {
  const settings = settingsOf(options)
  requireChange(settings)
  return settings
}

function settingsOf(options: Settings) {
  const { rate: eventRate, count: eventCount, retentionHours, keyRetentionDays } = options
  const limits = eventRate || eventCount ? { eventRate, eventCount } : undefined
  return { tags: options.tag, retentionHours, keyRetentionDays, limits }
}

async function list(session: Session): Promise<void> {
  const items = await fetchStreams(session)
  session.showList({
    answer: items,
    items,
    columns: {
      NAME: streamNameOf,
      ENABLED: (stream) => stream.enabled,
      'EVENTS/S': (stream) => textAt(stream, 'limits', 'eventRate'),
      'EVENTS/MONTH': (stream) => textAt(stream, 'limits', 'eventCount'),
      TAGS: (stream) => valueAt(stream, 'tags'),
    },
    whenEmpty: `No streams yet in ${accountInWords(session.account())}: \`weir stream create NAME --save\` creates one.`,
  })
}

const show = async (session: Session, name: string): Promise<void> =>
  session.showRecord(
    await session.manage({ method: 'GET', path: ['streams', name], advice: inputAdvice }),
  )

async function remove(session: Session, name: string, options: DeleteOptions): Promise<void> {
  const question = await deletionQuestion(session, name, options)
  await session.confirm({ question, name }, options.yes)
  const isUnasked = options.yes || !session.terminal.isInteractive
  const erasures = isUnasked ? await countErasures(session, name).catch(() => 0) : 0
  const answer = await session.manage({
    method: 'DELETE',
    path: ['streams', name],
    query: options.recursive ? { recursive: 'true' } : {},
    advice: { ...inputAdvice, 409: `To delete them too: weir stream delete ${name} --recursive` },
  })
  await showDeleted(session, answer)
  if (erasures > 0)
    session.tell(
      `The records of its erasures and withdrawals (${erasures}) were deleted, too, with their receipts. Saved receipts stay valid.`,
    )
}

/** Returns the question. If a person reads it, it also names what is deleted with the stream. */
async function deletionQuestion(
  session: Session,
  name: string,
  { recursive, yes }: DeleteOptions,
): Promise<string> {
  const asks = !yes && session.terminal.isInteractive
  const outputs = asks ? (await fetchOutputs(session, name)).map(streamNameOf) : []
  if (outputs.length > 0 && !recursive)
    throw failure(
      `the stream ${name} has outputs: ${outputs.join(', ')}`,
      `To delete them too: weir stream delete ${name} --recursive`,
    )
  const withThem = outputs.length === 0 ? '' : ` and its outputs ${outputs.join(', ')}`
  const erasures = asks ? await countErasures(session, name) : 0
  const receipts =
    erasures === 0
      ? ''
      : `\nThe records of its erasures and withdrawals (${erasures}) are deleted, too, and nobody gets a receipt of them any more. Save the receipts first: weir erasure receipts FOLDER ${name}`
  return `This deletes the stream ${name}${withThem}, with all events and keys.${receipts}`
}

async function countErasures(session: Session, name: string): Promise<number> {
  const path = ['streams', name, 'erasures']
  return streamRecordsOf(await session.manage({ method: 'GET', path, advice: inputAdvice })).length
}

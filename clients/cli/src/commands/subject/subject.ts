// `weir subject …`: erases, exports and looks up people. Erasing a person and withdrawing consents are two commands, so
// that a forgotten option can't turn one into the other. Values are only sent to the service, and printed only in the
// question before the request.
import type { Command } from 'commander'
import { fetchOutputs } from '../../api/streams.ts'
import { misuse } from '../../errors.ts'
import { openInput } from '../../input/file.ts'
import { listAt } from '../../json.ts'
import { collectLevel, dayOption, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readValues } from '../../input/values.ts'
import { addSubjectShow } from './data-subject.ts'
import { addSubjectExport } from './export.ts'
import { eraseSubject, eraseValues } from './erase.ts'
import type { EraseAsked } from './erase.ts'
import { tellPast } from './erasure-update.ts'

type EraseOptions = {
  readonly file?: string
  readonly subject?: string | true
  readonly reference?: string
  readonly due?: string
  readonly yes?: boolean
  readonly evenIfNoneFound?: boolean
}

type WithdrawOptions = EraseOptions & { readonly level: readonly number[] }

const whatRemains = (request: string): string =>
  `Outputs keep values that they decrypted before the ${request} was applied, until the retention of ` +
  'their topics removes them. The response lists these outputs, with the time. A file contains one ' +
  'value per line. Each hundred values succeed or fail together.'

export function addSubjectCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('subject')
    .description(
      'erase people, withdraw consents, export the events of a person, and look up data subjects',
    )
  addErase(noun, open)
  addWithdraw(noun, open)
  addSubjectExport(noun, open)
  addSubjectShow(noun, open)
}

function addErase(noun: Command, open: OpenSession): void {
  withExamples(
    withValues(noun.command('erase'))
      .summary('erase a person: all personal fields, at all levels')
      .description(
        'erase a person: Weir never again decrypts what was encrypted for this person, at any level, in any copy of ' +
          `the input stream. It cannot be undone. ${whatRemains('erasure')}`,
      )
      .action((name: string, value: string | undefined, options: EraseOptions, command: Command) =>
        erase(open(command), { name, value, options, levels: undefined }),
      ),
    ['weir subject erase clicks session-0001', 'one person'],
    [
      'weir subject erase clicks -f leavers.txt -o json > erasures.json',
      'many people; the file keeps the salts',
    ],
    ['weir subject erase clicks --subject customer-00042', 'all devices of one customer'],
    [
      'weir subject erase clicks session-0001 --reference TICKET-7',
      'with a reference to find the erasure again',
    ],
  )
}

function addWithdraw(noun: Command, open: OpenSession): void {
  withExamples(
    withValues(noun.command('withdraw'))
      .summary("withdraw a person's consent for one or more levels")
      .description(
        "withdraw a person's consent for one or more levels: from now on Weir handles all stored events of this person as if " +
          'they had been sent without these levels, and never again decrypts their fields of these levels. Other levels ' +
          `stay as they are. Later events have the consent levels with which they are sent. It cannot be undone. ${whatRemains('withdrawal')}`,
      )
      .requiredOption('--level <level>', 'a level to withdraw; may be repeated', collectLevel)
      .action(
        (name: string, value: string | undefined, options: WithdrawOptions, command: Command) =>
          erase(open(command), { name, value, options, levels: options.level }),
      ),
    ['weir subject withdraw clicks session-0001 --level 2', 'keeps the other levels'],
    [
      'weir subject withdraw clicks --subject customer-00042 --level 1 --level 3',
      'for all devices of one customer',
    ],
  )
}

const withValues = (command: Command): Command =>
  command
    .argument('<name>', 'an input stream')
    .argument('[value]', 'the value of the key field; for many values use -f')
    .option('-f, --file <file>', 'a file with one value per line; - means standard input')
    .option('--subject [value]', 'the value is of the data subject field: all its key field values')
    .option(
      '--reference <text>',
      'your reference, such as a ticket number; shown with the request and in the receipt',
    )
    .option('--due <day>', 'when the person must have an answer, such as 2026-12-24', dayOption)
    .option('--even-if-none-found', 'also if no event of the person is found')
    .option('-y, --yes', "don't ask")

type Erasing = {
  readonly name: string
  readonly value: string | undefined
  readonly options: EraseOptions
  readonly levels: readonly number[] | undefined
}

async function erase(session: Session, { name, value, options, levels }: Erasing) {
  const { reference, due: dueOn, file, yes, evenIfNoneFound } = options
  const subject = subjectOf(options.subject, value)
  if (subject !== undefined && file !== undefined)
    throw misuse('--subject takes one value, and no file', 'Give one of them.')
  tellPast(session, dueOn)
  const asked: EraseAsked = { levels, reference, dueOn, evenIfNoneFound }
  const values = subject === undefined ? await valuesOf(session, name, { value, file }) : [subject]
  const people = values.length === 1 ? 'one person' : `${values.length} people`
  const question =
    levels === undefined
      ? `This erases ${people} in ${name}, at all levels, for good.`
      : `This withdraws level ${levels.join(', ')} of ${people} in ${name}, for good.${yes ? '' : await unusedLevels(session, name, levels)}`
  const shared =
    subject === undefined
      ? ''
      : '\nIt concerns all events of the same devices, sessions and the like, also those that name other people.'
  const isTyped = subject === undefined && value === undefined && file === '-'
  await session.confirm(
    { question: question + shared, name: values.length === 1 ? (values[0] ?? '') : people },
    yes || isTyped,
  )
  if (subject !== undefined) return eraseSubject(session, name, { subject, asked })
  await eraseValues(session, name, { values, asked })
}

/** Returns a warning about levels that no output has, because a mistyped level would be withdrawn, too. */
async function unusedLevels(session: Session, name: string, levels: readonly number[]) {
  if (!session.terminal.isInteractive) return ''
  const used = (await fetchOutputs(session, name)).flatMap((one) => listAt(one, 'consentLevels'))
  const unused = levels.filter((level) => !used.includes(level))
  return unused.length === 0
    ? ''
    : `\nNo output has level ${unused.join(', ')}. Is it the right level?`
}

/** `--subject VALUE` and `VALUE --subject` mean the same. */
function subjectOf(
  given: string | true | undefined,
  value: string | undefined,
): string | undefined {
  if (typeof given === 'string' && value !== undefined)
    throw misuse('there are two values', 'Give one of them.')
  if (given === true && value === undefined)
    throw misuse('no value is given', 'Give the value of the data subject field.')
  return given === true ? value : given
}

async function valuesOf(
  session: Session,
  name: string,
  { value, file }: { value: string | undefined; file: string | undefined },
): Promise<readonly string[]> {
  if (value !== undefined && file !== undefined)
    throw misuse('a value and a file exclude each other', 'Give one of them.')
  if (value === '') throw misuse('the value is empty')
  if (value !== undefined) return [value]
  if (file === undefined)
    throw misuse(
      'no value is given',
      `${name} is taken as the input stream. Give a value after it, or a file with -f.`,
    )
  return readValues(openInput(session, file))
}

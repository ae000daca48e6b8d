// `weir subject …`: people, by the values that name them. Erasing a person and withdrawing consents are two commands, so
// that nothing left out turns the one into the other. Values go to the service and nowhere else: no line that is
// printed holds one.
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { misuse } from '../../errors.ts'
import { openInput } from '../../input/file.ts'
import { collectLevel, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readValues } from '../../input/values.ts'
import { addSubjectShow } from './data-subject.ts'
import { eraseSubject, eraseValues } from './erase.ts'
import type { Asked } from './erase.ts'

type EraseOptions = {
  readonly file?: string
  readonly subject?: string
  readonly level?: number
  readonly reference?: string
  readonly yes?: boolean
}

type WithdrawOptions = Omit<EraseOptions, 'level'> & { readonly fromLevel: number }

const whatRemains =
  'Outputs keep values that they decrypted before the erasure was applied, until the retention of ' +
  'their topics removes them. The response lists these outputs, with the time. A file contains one ' +
  'value per line. Each hundred values succeed or fail together.'

export function addSubjectCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('subject')
    .description('erase people, withdraw consents, and look up data subjects')
  addErase(noun, open)
  addWithdraw(noun, open)
  addSubjectShow(noun, open)
}

function addErase(noun: Command, open: OpenSession): void {
  withExamples(
    withValues(noun.command('erase'))
      .summary('erase a person: all personal fields, at all levels')
      .description(
        'erase a person: Weir never again decrypts what was encrypted for this person, at any level, in any copy of ' +
          `the input stream. It cannot be undone. ${whatRemains}`,
      )
      .option('--level <level>', 'the same as `weir subject withdraw --from-level`', oneLevel)
      .action((name: string, value: string | undefined, options: EraseOptions, command: Command) =>
        erase(open(command), { name, value, options, fromLevel: options.level }),
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
      .summary("withdraw a person's consent for a level and all levels above it")
      .description(
        "withdraw a person's consent for a level and all levels above it: Weir never again decrypts what was encrypted " +
          'for this person at these levels. Lower levels stay readable. This applies to stored events; later events have ' +
          `the consent levels with which they are sent. It cannot be undone. ${whatRemains}`,
      )
      .requiredOption(
        '--from-level <level>',
        'the lowest level to withdraw; all levels above it are withdrawn, too',
        oneLevel,
      )
      .action(
        (name: string, value: string | undefined, options: WithdrawOptions, command: Command) =>
          erase(open(command), { name, value, options, fromLevel: options.fromLevel }),
      ),
    ['weir subject withdraw clicks session-0001 --from-level 2', 'keeps levels 0 and 1 readable'],
    [
      'weir subject withdraw clicks --subject customer-00042 --from-level 1',
      'for all devices of one customer',
    ],
  )
}

const withValues = (command: Command): Command =>
  command
    .argument('<name>', 'an input stream')
    .argument('[value]', 'the value of the key field; for many values use -f')
    .option('-f, --file <file>', 'a file with one value per line; - means standard input')
    .option('--subject <value>', 'a data subject: all its key field values')
    .option(
      '--reference <text>',
      'your reference, such as a ticket number; shown with the erasure and in the receipt',
    )
    .option('-y, --yes', "don't ask")

function oneLevel(text: string, before: number | undefined): number {
  if (before !== undefined) throw new InvalidArgumentError('Give only one level: the lowest.')
  return collectLevel(text)[0] ?? 0
}

type Erasing = {
  readonly name: string
  readonly value: string | undefined
  readonly options: Omit<EraseOptions, 'level'>
  readonly fromLevel: number | undefined
}

async function erase(session: Session, { name, value, options, fromLevel }: Erasing) {
  const { subject, reference, file, yes } = options
  if (subject !== undefined && (value !== undefined || file !== undefined))
    throw misuse('--subject and a value of the key field exclude each other', 'Give one of them.')
  const asked: Asked = { fromLevel, reference }
  const values = subject === undefined ? await valuesOf(session, value, file) : [subject]
  const people = values.length === 1 ? 'one person' : `${values.length} people`
  const question =
    fromLevel === undefined
      ? `Erase ${people} in ${name}, at all levels, for good?`
      : `Withdraw level ${fromLevel} and above of ${people} in ${name}, for good?`
  const isTyped = value === undefined && file === '-'
  await session.confirm(question, yes || isTyped)
  if (subject !== undefined) return eraseSubject(session, name, { subject, asked })
  await eraseValues(session, name, { values, asked })
}

async function valuesOf(
  session: Session,
  value: string | undefined,
  file: string | undefined,
): Promise<readonly string[]> {
  if (value !== undefined && file !== undefined)
    throw misuse('a value and a file exclude each other', 'Give one of them.')
  if (value === '') throw misuse('the value is empty')
  if (value !== undefined) return [value]
  if (file === undefined) throw misuse('no value is given', 'Give a value, or a file with -f.')
  return readValues(openInput(session, file))
}

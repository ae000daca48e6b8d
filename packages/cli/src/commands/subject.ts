// `weir subject …`: people, by the values that name them. Values go to the service and nowhere else: no line
// that is printed holds one.
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Advice } from '../api.ts'
import { CliError, misuse } from '../errors.ts'
import { openInput } from '../input-file.ts'
import { textAt, valueAt } from '../json.ts'
import { collectLevel, withExamples } from '../options.ts'
import { createProgress } from '../progress.ts'
import type { OpenSession, Session } from '../session.ts'
import { groupsOf, readValues } from '../values-input.ts'
import type { ValueGroup } from '../values-input.ts'
import { addSubjectShow, eraseSubject } from './data-subject.ts'

type EraseOptions = {
  readonly file?: string
  readonly subject?: string
  readonly level?: number
  readonly yes?: boolean
}

const advice = { 404: '`weir stream list` shows the input streams.' } satisfies Advice

export function addSubjectCommands(program: Command, open: OpenSession): void {
  const noun = program.command('subject').description('the people behind the events')
  withExamples(
    noun
      .command('erase')
      .summary('forget a person, or withdraw consents of one')
      .description(
        'forget a person, or withdraw consents of one: personal fields that were sealed for it can not be opened\n' +
          'any more, by nobody, in no copy of the stream. It can not be undone. Output streams that hold\n' +
          'opened fields keep them until their own retention (docs/forgetting.md).\n' +
          'A file has one value a line; a hundred of them at a time hold or fail together.',
      )
      .argument('<name>', 'an input stream')
      .argument('[value]', 'the value of the key field; without one, -f names a file')
      .option('-f, --file <file>', 'a value a line; - is the standard input')
      .option('--subject <value>', 'a data subject instead: all key field values that it has')
      .option(
        '--level <level>',
        'withdraw this level and those above it, and keep the rest',
        oneLevel,
      )
      .option('-y, --yes', "don't ask")
      .action((name: string, value: string | undefined, options: EraseOptions, command: Command) =>
        erase(open(command), { name, value, options }),
      ),
    ['weir subject erase clicks session-0001', 'forget one person'],
    [
      'weir subject erase clicks session-0001 --level 2',
      'level 2 and above; 0 and 1 stay readable',
    ],
    ['weir subject erase clicks -f leavers.txt -o json > erasures.json', 'many, with their salts'],
    ['weir subject erase clicks --subject customer-00042', 'all devices of one customer'],
  )
  addSubjectShow(noun, open)
}

function oneLevel(text: string, before: number | undefined): number {
  if (before !== undefined) throw new InvalidArgumentError('It is given once: the lowest level.')
  return collectLevel(text)[0] ?? 0
}

type Erasing = {
  readonly name: string
  readonly value: string | undefined
  readonly options: EraseOptions
}

async function erase(session: Session, { name, value, options }: Erasing): Promise<void> {
  const { subject, level } = options
  if (subject !== undefined && (value !== undefined || options.file !== undefined))
    throw misuse('--subject and a value of the key field are too much', 'Give one of them.')
  const values = subject === undefined ? await valuesOf(session, value, options.file) : [subject]
  const what =
    options.level === undefined ? 'Forget' : `Withdraw level ${options.level} and above of`
  const people = values.length === 1 ? 'one person' : `${values.length} people`
  const isTyped = value === undefined && options.file === '-'
  await session.confirm(`${what} ${people} in ${name}, for good?`, options.yes || isTyped)
  if (subject !== undefined) return eraseSubject(session, { name, subject, level })
  await eraseAll(session, name, { values, level })
}

type Many = { readonly values: readonly string[]; readonly level: number | undefined }

async function eraseAll(session: Session, name: string, { values, level }: Many): Promise<void> {
  const done: Done[] = []
  const progress = createProgress(session.terminal, 'erasing')
  for (const group of groupsOf(values)) {
    if (values.length > 1) progress.show(group.from - 1, values.length)
    try {
      const answer = await eraseGroup(session, name, { group, level })
      done.push({ ...group, answer })
    } catch (error) {
      progress.end()
      if (done.length > 0) show(session, done)
      throw values.length === 1 ? error : stopped(error, group, values.length)
    }
  }
  progress.end()
  show(session, done)
}

async function valuesOf(
  session: Session,
  value: string | undefined,
  file: string | undefined,
): Promise<readonly string[]> {
  if (value !== undefined && file !== undefined)
    throw misuse('a value and a file are too much', 'Give one of them.')
  if (value === '') throw misuse('the value is empty')
  if (value !== undefined) return [value]
  if (file === undefined) throw misuse('no value is given', 'Name it, or a file with -f.')
  return readValues(openInput(session, file))
}

function eraseGroup(
  session: Session,
  name: string,
  { group, level }: { group: ValueGroup; level: number | undefined },
): Promise<unknown> {
  const json = {
    keyFieldValues: group.values,
    ...(level === undefined ? {} : { fromLevel: level }),
  }
  return session.manage({ method: 'POST', path: ['streams', name, 'erasures'], json, advice })
}

type Done = ValueGroup & { readonly answer: unknown }

function show(session: Session, done: readonly Done[]): void {
  const [first] = done
  if (done.length === 1 && first?.values.length === 1) session.showRecord(first.answer)
  else
    session.showList({
      answer: done.map(({ answer }) => answer),
      items: done,
      columns: {
        ERASURE: ({ answer }) => textAt(answer, 'id'),
        LINES: ({ from, to }) => `${from}-${to}`,
        VALUES: ({ answer }) => valueAt(answer, 'values'),
        STATE: ({ answer }) => textAt(answer, 'state'),
        SALT: ({ answer }) => textAt(answer, 'salt'),
      },
      whenEmpty: 'Nothing was erased.',
    })
  session.tell("The salt isn't shown again: with it, a receipt can be shown to be about a value.")
}

/** What was done and what wasn't, by lines. */
function stopped(error: unknown, { from, to }: ValueGroup, lines: number): unknown {
  if (!(error instanceof CliError)) return error
  const before = from === 1 ? 'Nothing was erased.' : `Lines 1 to ${from - 1} are erased.`
  const after = to === lines ? '' : `, lines ${to + 1} to ${lines} were not tried`
  const { page } = error
  return new CliError(error.exitCode, error.message, {
    page,
    advice: [
      ...error.advice,
      before,
      // Without an answer nobody knows; once more does no harm.
      `Lines ${from} to ${to} failed${after}: run it again with them.`,
    ],
  })
}

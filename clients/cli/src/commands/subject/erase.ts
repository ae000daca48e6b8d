// Sends the requests of `weir subject erase` and `weir subject withdraw` to auth, and shows the response: the states,
// the outputs that still contain decrypted values, and the salt.
import type { Advice } from '../../api/request.ts'
import { CliError, misuse } from '../../errors.ts'
import { textAt, valueAt } from '../../json.ts'
import { createProgressLine } from '../../terminal/progress.ts'
import type { Session } from '../../session.ts'
import { groupsOf } from '../../input/values.ts'
import type { ValueGroup } from '../../input/values.ts'
import { renderErasure } from './erasure-view.ts'

export type EraseAsked = {
  readonly evenIfNoneFound: boolean | undefined
  /** The levels to withdraw. If undefined, the person is erased. */
  readonly levels: readonly number[] | undefined
  readonly reference: string | undefined
  readonly dueOn: string | undefined
}

const evenAdvice =
  '`weir person show VALUE` searches all streams. `--even-if-none-found` sends the request all the same, and its receipt says that nothing was found.'
const advice = {
  409: evenAdvice,
  404: '`weir stream list` shows the input streams.',
  429: '`weir account show` shows how many erased values the account has.',
} satisfies Advice
const subjectAdvice = {
  404: '`weir stream list` shows the input streams.',
  409: evenAdvice,
} satisfies Advice

/** Sends the values in groups. Each group is one request. */
export async function eraseValues(
  session: Session,
  name: string,
  { values, asked }: { values: readonly string[]; asked: EraseAsked },
): Promise<void> {
  const done: Done[] = []
  const progress = createProgressLine(session.terminal, 'erasing')
  for (const group of groupsOf(values)) {
    if (values.length > 1) progress.show(group.from - 1, values.length)
    try {
      const json = { keyFieldValues: group.values, ...asked }
      const answer = await post(session, name, { json, advice })
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

export async function eraseSubject(
  session: Session,
  name: string,
  { subject, asked }: { subject: string; asked: EraseAsked },
): Promise<void> {
  if (subject === '') throw misuse('the value is empty')
  const json = { subject, ...asked }
  const answer = await post(session, name, { json, advice: subjectAdvice })
  session.showRecord(answer, renderErasure)
  session.tell(aboutSalt)
}

async function post(
  session: Session,
  name: string,
  { json, advice }: { json: unknown; advice: Advice },
): Promise<unknown> {
  const path = ['streams', name, 'erasures']
  try {
    return await session.manage({ method: 'POST', path, json, advice })
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // Replaces hints for programs by the command's options.
    const message = error.message
      .replace(/\. To [^.]*, send evenIfNoneFound: true/, '')
      .replace(': send it as subject', ': add --subject')
      .replace(': send it as keyFieldValue', ': leave out --subject')
    const { exitCode, advice: lines, ...more } = error
    const isNoneFound = error.message.includes('evenIfNoneFound')
    const helping = isNoneFound ? lines : lines.filter((line) => line !== evenAdvice)
    throw new CliError(exitCode, message, { ...more, advice: helping })
  }
}

const aboutSalt =
  'The salt is not shown again. Keep it: without the salt nobody can prove that a receipt is about a value.'

type Done = ValueGroup & { readonly answer: unknown }

function show(session: Session, done: readonly Done[]): void {
  const [first] = done
  if (done.length === 1 && first?.values.length === 1)
    session.showRecord(first.answer, renderErasure)
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
  session.tell(aboutSalt)
}

/** Converts the numbers of values in the service's message into line numbers. Returns undefined without numbers. */
function linesNamed(message: string, from: number): readonly number[] | undefined {
  const [, numbers] = VALUES_NAMED.exec(message) ?? []
  return numbers?.split(', ').map((nth) => Number(nth) + from - 1)
}

const VALUES_NAMED = /has the values ([\d, ]+) \(of \d+, counted from 1\)/

/** Returns the error with advice that says, by lines, what was done and what was not. */
function stopped(error: unknown, { from, to }: ValueGroup, lines: number): unknown {
  if (!(error instanceof CliError)) return error
  const before = from === 1 ? 'Nothing was erased.' : `Lines 1 to ${from - 1} are erased.`
  const after = to === lines ? '' : `, lines ${to + 1} to ${lines} were not tried`
  const { page } = error
  const named = linesNamed(error.message, from)
  // Without a response the outcome is unknown, but repeating the request is harmless.
  const first =
    named === undefined ? 'Run it again' : `Correct or omit ${wordsOf(named)}, then run it again`
  const message =
    named === undefined
      ? error.message
      : error.message.replace(VALUES_NAMED, `has the value of ${wordsOf(named)}`)
  return new CliError(error.exitCode, message, {
    page,
    advice: [
      ...error.advice,
      before,
      `Lines ${from} to ${to} failed${after}. ${first} with lines ${from} to ${lines}.`,
    ],
  })
}

const wordsOf = (lines: readonly number[]): string =>
  `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`

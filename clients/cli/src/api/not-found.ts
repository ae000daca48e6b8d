// Explains a 404 about a stream, an output or a contract, for all management requests: the name may be an output's
// instead of an input stream's, it may be misspelt, or the account may be another.
import { accountInWords } from '../accounts/account.ts'
import type { CliAccount } from '../accounts/account.ts'
import { CliError, failure } from '../errors.ts'
import { nearest } from '../input/nearest.ts'
import { textAt, textsAt } from '../json.ts'
import { streamNameOf, streamRecordsOf } from './stream-records.ts'

type NotFound = { readonly path: readonly string[]; readonly json?: unknown }

/** Returns the response of management to a GET. */
type Look = (path: readonly string[]) => Promise<unknown>

/** Returns the error with an explanation, or unchanged. */
export async function explainNotFound(
  error: unknown,
  { path, json }: NotFound,
  { account, look }: { readonly account: CliAccount; readonly look: Look },
): Promise<unknown> {
  if (!(error instanceof CliError) || error.status !== 404) return error
  const inPath = path.flatMap((name, index) =>
    index % 2 === 1 && index < 4 ? [{ name, list: path.slice(0, index) }] : [],
  )
  const inBody = textsAt(json, 'streams').map((name) => ({ name, list: ['streams'] }))
  for (const { name, list } of [...inBody, ...inPath]) {
    const found = await look(list).catch(() => undefined)
    if (found === undefined) return error
    const names = namesIn(found)
    if (names.includes(name)) continue
    // The loop has already found this name as the input stream.
    if (list[2] === 'outputs' && list[1] === name)
      return failure(`${name} is an input stream, not an output`)
    const input = list.join() === 'streams' ? await inputOf(name, names, look) : undefined
    if (input !== undefined) {
      // `weir output` has the same verbs as `weir stream`, so the user may have meant `weir output`.
      const forOutputs =
        path.length === 2 && path[1] === name
          ? [`For the output use: weir output … ${input} ${name}`]
          : []
      return isOutput(name, input, ...forOutputs)
    }
    const meant = nearest(name, names)
    return error.withAdvice(
      ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
      `This is about ${accountInWords(account)}.`,
    )
  }
  return error
}

/** Returns the error for an output's name where an input stream's is needed. `input` may be unknown. */
export const isOutput = (name: string, input: string | undefined, ...advice: string[]): CliError =>
  failure(
    `${name} is an output${input === undefined ? '' : ` of ${input}`}. This command needs an input stream`,
    input === undefined
      ? 'Give the input stream of the output.'
      : `Give its input stream, ${input}.`,
    ...advice,
  )

async function inputOf(
  name: string,
  inputs: readonly string[],
  look: Look,
): Promise<string | undefined> {
  for (const input of inputs) {
    const outputs = await look(['streams', input, 'outputs']).catch(() => [])
    if (namesIn(outputs).includes(name)) return input
  }
  return undefined
}

const namesIn = (answer: unknown): readonly string[] =>
  streamRecordsOf(answer).flatMap((one) => streamNameOf(one) ?? textAt(one, 'id') ?? [])

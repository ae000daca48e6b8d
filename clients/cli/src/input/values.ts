// Reads the values to erase from a file, one per line. The whole file is checked before anything is sent, so a file
// with an invalid line has no effect.
import { openInput } from './file.ts'
import { splitLines } from './events.ts'
import { misuse } from '../errors.ts'
import type { Session } from '../session.ts'

export type ValueGroup = {
  /** The line of the first value. */
  readonly from: number
  /** The line of the last value. */
  readonly to: number
  readonly values: readonly string[]
}

const valueBytesMax = 1_048_576
const groupValuesMax = 100
// JSON may make a text longer, and the size of request bodies is limited.
const groupBytesMax = 524_288

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function readValues(input: AsyncIterable<unknown>): Promise<readonly string[]> {
  const values: string[] = []
  for await (const bytes of splitLines(input)) values.push(valueOf(bytes, values.length + 1))
  if (values.length === 0) throw misuse('there is no value in the input', nothingWasErased)
  return values
}

export async function readValue(
  session: Session,
  value: string | undefined,
  file: string | undefined,
): Promise<string> {
  if ((value === undefined) === (file === undefined))
    throw misuse('a value is wanted, or a file with -f', 'Give one of them.')
  if (value === '') throw misuse('the value is empty')
  if (value !== undefined) return value
  const [only = '', ...more] = await readValues(openInput(session, file))
  if (more.length > 0) throw misuse('the input has several lines', 'Give one value.')
  return only
}

const nothingWasErased = 'Nothing was erased.'

function valueOf(bytes: Uint8Array, line: number): string {
  if (bytes.length === 0) throw badLine(line, 'is empty')
  if (bytes.length > valueBytesMax) throw badLine(line, `has more than ${valueBytesMax} bytes`)
  try {
    return utf8.decode(bytes)
  } catch {
    throw badLine(line, "isn't UTF-8")
  }
}

const badLine = (line: number, problem: string) =>
  misuse(`line ${line} ${problem}`, 'Each line is one value of the key field.', nothingWasErased)

/** Each group is one request, which succeeds or fails as a whole. */
export function groupsOf(values: readonly string[]): ValueGroup[] {
  const groups: { from: number; to: number; values: string[] }[] = []
  let bytes = Infinity
  for (const [index, value] of values.entries()) {
    const size = Buffer.byteLength(value)
    const last = groups.at(-1)
    const isFull = last === undefined || last.values.length === groupValuesMax
    if (isFull || bytes + size > groupBytesMax) {
      groups.push({ from: index + 1, to: index + 1, values: [value] })
      bytes = size
      continue
    }
    last.values.push(value)
    last.to = index + 1
    bytes += size
  }
  return groups
}

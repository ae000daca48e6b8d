// Splits the input of `weir send` into events. If the first line is a complete JSON value, each line is one event
// (NDJSON), and is read while it arrives. Otherwise the whole input is one event. The bytes of an event are unchanged:
// ingest interprets them.
import { misuse } from '../errors.ts'
import { tryParseJson } from '../json.ts'
import { jsonFault } from './json-fault.ts'

export type InputEvent = {
  /** The line where the event starts. */
  readonly line: number
  readonly body: Uint8Array<ArrayBuffer>
}

export async function* readEvents(input: AsyncIterable<unknown>): AsyncGenerator<InputEvent> {
  const gathered: Buffer<ArrayBuffer>[] = []
  let line = 0
  let isEventPerLine: boolean | undefined
  for await (const bytes of splitLines(input)) {
    line += 1
    if (isEventPerLine === undefined && !isBlank(bytes)) isEventPerLine = isJson(bytes)
    if (isEventPerLine === true && !isBlank(bytes)) yield { line, body: bytes }
    if (isEventPerLine === false) gathered.push(bytes)
  }
  if (isEventPerLine === undefined) throw misuse('there is no event in the input')
  if (isEventPerLine) return
  const body = Buffer.concat(gathered.flatMap((bytes) => [bytes, newline]))
  const first = line - gathered.length + 1
  const fault = isJson(body) ? undefined : jsonFault(body.toString(), first)
  if (fault !== undefined)
    throw misuse(
      `the input isn't JSON: ${fault}`,
      'Give one JSON value, or one JSON value per line.',
    )
  yield { line: first, body }
}

const newline = Buffer.from('\n')

/** Returns the lines, without line ends and byte order mark. Bytes that aren't UTF-8 are unchanged. */
export async function* splitLines(
  input: AsyncIterable<unknown>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let rest = Buffer.alloc(0)
  let isFirst = true
  const clean = (bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
    const start = isFirst && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    isFirst = false
    return bytes.subarray(start, bytes.at(-1) === 0x0d ? -1 : undefined)
  }
  for await (const chunk of input) {
    rest = Buffer.concat([rest, Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))])
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      yield clean(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield clean(rest)
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

const isBlank = (bytes: Buffer): boolean => bytes.toString('latin1').trim() === ''

function isJson(bytes: Buffer): boolean {
  const value = tryParseJson(bytes.toString())
  if (Array.isArray(value)) {
    throw misuse(
      "a JSON array isn't an event",
      "Send one event per line: jq -c '.[]' FILE | weir send …",
    )
  }
  return value !== undefined
}

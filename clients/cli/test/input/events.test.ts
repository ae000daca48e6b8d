import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { readEvents } from '../../src/input/events.ts'

async function eventsOf(...chunks: readonly (string | Buffer)[]): Promise<[number, string][]> {
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  const events: [number, string][] = []
  for await (const { line, body } of readEvents(input)) {
    events.push([line, Buffer.from(body).toString('latin1')])
  }
  return events
}

describe('the input of send', () => {
  test('one JSON value over several lines is one event', async () => {
    expect(await eventsOf('\n{\n  "a": 1\r\n', '}\n')).toEqual([[2, '{\n  "a": 1\n}\n']])
  })

  test('a JSON value on the first line means one event a line, blank lines left out', async () => {
    expect(await eventsOf('{"a":1}\r\n\n{"a"', ':2}\n{"a":3}')).toEqual([
      [1, '{"a":1}'],
      [3, '{"a":2}'],
      [4, '{"a":3}'],
    ])
  })

  test('a line that is no JSON is passed on: the service says what is wrong with it', async () => {
    expect(await eventsOf('{"a":1}\nnonsense\n')).toEqual([
      [1, '{"a":1}'],
      [2, 'nonsense'],
    ])
  })

  test('bytes stay as they are, but for a byte order mark', async () => {
    const bytes = Buffer.from('\u00ef\u00bb\u00bf{"a":"\u00ff\u00c3"}\n', 'latin1')
    expect(await eventsOf(bytes.subarray(0, 2), bytes.subarray(2))).toEqual([
      [1, '{"a":"\u00ff\u00c3"}'],
    ])
  })

  test('numbers that JavaScript would round stay as they are', async () => {
    expect(await eventsOf('{"a":9007199254740993}')).toEqual([[1, '{"a":9007199254740993}']])
  })

  test.each([
    ['', 'there is no event in the input'],
    ['\n \n', 'there is no event in the input'],
    ['\n{"a":\n', "the input isn't JSON: line 3, column 1: Unexpected end of JSON input"],
    ['{"a":1,}', "the input isn't JSON: line 1, column 8: Expected double-quoted property name"],
    ['[{"a":1}]', "a JSON array isn't an event"],
    ['[\n{"a":1}\n]', "a JSON array isn't an event"],
  ])('%p is refused', async (text, message) => {
    await expect(eventsOf(text)).rejects.toThrow(message)
  })
})

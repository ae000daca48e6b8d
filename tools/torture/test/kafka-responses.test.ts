// Every second response of the chosen kind, and no other, is lost or reports an error.
import { expect, test } from '@jest/globals'

import { errorsOf, followResponses, requestKinds } from '../src/world/kafka-responses.ts'
import type { RequestKind, Tampering } from '../src/world/kafka-responses.ts'

const frame = (...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([int32(body.length), body])
}
const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff])
const int32 = (value: number): Buffer =>
  Buffer.from([24, 16, 8, 0].map((by) => (value >> by) & 255))
const octets = (count: number, value = 7): Buffer => Buffer.alloc(count, value)
const text = (words: string): Buffer =>
  Buffer.concat([Buffer.of(words.length + 1), Buffer.from(words)])
const array = (...items: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(items.length + 1), ...items])
const tags = Buffer.of(0)
/** One tag with two octets, such as the tag for the current leader. */
const oneTag = Buffer.from([1, 0, 2, 9, 9])

/** Examples by kind of request. `body` builds a response with this error code in each partition. */
const examples: Readonly<
  Record<string, { kind: RequestKind; api: number; version: number; body(code: number): Buffer[] }>
> = {
  'produce by topic id': {
    kind: 'produce',
    api: 0,
    version: 13,
    body: (code) => [
      array(...[1, 2].map((topic) => topicOf(octets(16, topic), code))),
      int32(0),
      tags,
    ],
  },
  'produce by name': {
    kind: 'produce',
    api: 0,
    version: 9,
    body: (code) => [array(topicOf(text('clicks'), code)), int32(0), tags],
  },
  'init-producer-id': {
    kind: 'init-producer-id',
    api: 22,
    version: 4,
    body: (code) => [int32(0), int16(code), octets(10, code === 0 ? 7 : 0xff), tags],
  },
  'add-partitions': {
    kind: 'add-partitions',
    api: 24,
    version: 3,
    body: (code) => [
      int32(0),
      array(
        Buffer.concat([
          text('clicks'),
          array(...[0, 1].map((at) => Buffer.concat([int32(at), int16(code), tags]))),
          tags,
        ]),
      ),
      tags,
    ],
  },
  'end-txn': {
    kind: 'end-txn',
    api: 26,
    version: 3,
    body: (code) => [int32(0), int16(code), tags],
  },
  fetch: {
    kind: 'fetch',
    api: 1,
    version: 17,
    body: (code) =>
      code === 0
        ? [int32(0), int16(0), int32(77), array(octets(40)), tags]
        : [int32(0), int16(code), int32(0), array(), tags],
  },
}

function topicOf(name: Buffer, code: number): Buffer {
  const errors = array(Buffer.concat([int32(0), text('too large'), tags]))
  const partition = (at: number): Buffer =>
    Buffer.concat([int32(at), int16(code), octets(24), errors, text('why'), oneTag])
  return Buffer.concat([name, array(partition(0), partition(3)), tags])
}

const request = (api: number, version: number, correlation: number): Buffer =>
  frame(int16(api), int16(version), int32(correlation), octets(20))
const response = (correlation: number, body: readonly Buffer[]): Buffer =>
  frame(int32(correlation), tags, ...body)

function following() {
  const seen: RequestKind[] = []
  return { ...followResponses((kind) => seen.push(kind)), seen }
}

test.each(Object.keys(examples))('%s: every second response reports the error', (name) => {
  const { kind, api, version, body } = examples[name] ?? fail(name)
  for (const errorCode of errorsOf(kind)) {
    const { asked, answered, seen } = following()
    for (const correlation of [5, 6, 7]) asked(request(api, version, correlation))
    const all = Buffer.concat([5, 6, 7].map((correlation) => response(correlation, body(0))))
    const expected = [errorCode, 0, errorCode].map((code, at) => response(5 + at, body(code)))
    expect(answered(all, { of: kind, errorCode })).toEqual(expected)
    expect(seen).toEqual([kind, kind])
  }
})

test.each(Object.keys(examples))('%s: the first response is lost, other kinds are not', (name) => {
  const { kind, api, version, body } = examples[name] ?? fail(name)
  const { asked, answered, seen } = following()
  const one = response(1, body(0))
  asked(request(api, version, 1))
  const others = requestKinds.filter((other) => other !== kind)
  const meant: (Tampering | undefined)[] = [undefined, ...others.map((of) => ({ of }))]
  for (const tampering of meant) {
    expect(answered(one, tampering)).toEqual([one])
    asked(request(api, version, 1))
  }
  expect(seen).toEqual([])
  expect(answered(one, { of: kind })).toBe('lost')
})

test('frames are complete, however the bytes arrive', () => {
  const { kind, api, version, body } = examples['produce by name'] ?? fail('produce')
  const { asked, answered } = following()
  const bytes = (all: Buffer) => [...all].map((octet) => Buffer.of(octet))
  for (const octet of bytes(Buffer.concat([1, 2].map((at) => request(api, version, at)))))
    asked(octet)
  const sent = Buffer.concat([1, 2].map((at) => response(at, body(0))))
  const got = bytes(sent)
    .map((octet) => answered(octet, { of: kind, errorCode: 7 }))
    .flat()
  expect(got).toEqual([response(1, body(7)), response(2, body(0))])
})

test('an older version of a request, whose response has another form, is left alone', () => {
  const { asked, answered } = following()
  asked(request(0, 8, 1))
  const one = response(1, [octets(30)])
  expect(answered(one, { of: 'produce' })).toEqual([one])
})

function fail(name: string): never {
  throw new Error(`there is no ${name}`)
}

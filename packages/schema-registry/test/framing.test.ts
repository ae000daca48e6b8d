import { expect, test } from '@jest/globals'

import { frame, unframe } from '../src/framing.ts'

test('a framed value is a zero byte, the schema id in four bytes, then the payload', () => {
  expect(frame(0x01020304, Buffer.from([9, 8])).toString('hex')).toBe('00010203040908')
})

test('unframe gives back what was framed, also for the largest id and an empty payload', () => {
  const value = frame(0xffffffff, Buffer.alloc(0))

  expect(unframe(value)).toEqual({ schemaId: 0xffffffff, payload: Buffer.alloc(0) })
})

test.each([
  ['', 'nothing'],
  ['00010203', 'a header cut short'],
  ['0100000001ff', 'another magic byte'],
])('the value %p (%s) is refused', (hex) => {
  expect(() => unframe(Buffer.from(hex, 'hex'))).toThrow(
    expect.objectContaining({
      code: 'registry.not_framed',
      message: 'the value does not start with a schema id',
    }),
  )
})

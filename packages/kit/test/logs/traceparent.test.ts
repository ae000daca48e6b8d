import { expect, test } from '@jest/globals'
import { formatTraceparent, parseTraceparent } from '../../src/index.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00', false],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03', true],
  ['cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-brings', true],
])('%s is read', (header, isSampled) => {
  expect(parseTraceparent(header)).toEqual({ traceId, spanId, isSampled })
})

test.each([
  undefined,
  '',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
  '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  `cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-${'x'.repeat(300)}`,
])('%s counts as not sent', (header) => {
  expect(parseTraceparent(header)).toBeUndefined()
})

test('what is written is read again', () => {
  for (const isSampled of [true, false]) {
    const parent = { traceId, spanId, isSampled }
    expect(parseTraceparent(formatTraceparent(parent))).toEqual(parent)
  }
})

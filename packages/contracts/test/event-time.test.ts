// The event's own time, in contrast to its record's time.
import { expect, test } from '@jest/globals'

import { eventTimeOf, writeTime } from '../src/event-time.ts'

const record = (time: string | undefined) => ({
  timestampMs: 7,
  headers: time === undefined ? {} : { 'svc-time': Buffer.from(time) },
})

test.each([0, 1, -1, 1_790_000_000_000, Number.MAX_SAFE_INTEGER])(
  'the time %d is read as it was written',
  (ms) => expect(eventTimeOf(record(writeTime(ms)))).toBe(ms),
)

test.each([undefined, '', ' 1', '1.5', '1e3', '0x10', 'yesterday', '9'.repeat(16), '1'.repeat(99)])(
  'where the header is %j, the time is that of the record',
  (text) => expect(eventTimeOf(record(text))).toBe(7),
)

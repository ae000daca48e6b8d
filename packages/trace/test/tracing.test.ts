// Which requests are recorded. Without an endpoint: none. With an endpoint: requests whose client records them, and a
// sample of requests without a trace, up to a rate. tools/testkit tests what a receiver gets.
import { createLog } from '@weir/kit'
import { expect, jest, test } from '@jest/globals'
import { openTracing } from '../src/index.ts'

const log = createLog('trace-test', 'silent')
const beginning = { name: 'x', kind: 'server', attributes: {} } as const
const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentOf = (flags: string) => `00-${traceId}-b7ad6b7169203331-${flags}`

async function open(ratio: number, perSecond = 100) {
  const counts = { begun: 0, over_rate: 0, exported: 0, lost: 0 }
  const config = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_TRACES_SAMPLER_ARG: ratio,
    TRACE_SPANS_PER_SECOND_MAX: perSecond,
  }
  const count = (outcome: keyof typeof counts, spans: number) => void (counts[outcome] += spans)
  const tracing = await openTracing(config, { service: 'test', log, count })
  if (tracing === undefined) throw new Error('an endpoint is set')
  return { tracing, counts }
}

test('without an endpoint there is no tracing at all', async () => {
  const config = { OTEL_TRACES_SAMPLER_ARG: 1, TRACE_SPANS_PER_SECOND_MAX: 1 }
  expect(await openTracing(config, { service: 'test', log, count: () => {} })).toBeUndefined()
})

test('a client’s own decision counts, whatever the share of others', async () => {
  for (const ratio of [0, 1]) {
    const { tracing } = await open(ratio)
    const traced = tracing.begin({ ...beginning, parent: parentOf('01') })
    expect(traced?.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    expect(traced?.traceparent).not.toBe(parentOf('01'))
    expect(tracing.begin({ ...beginning, parent: parentOf('00') })).toBeUndefined()
  }
})

test('without a trace none begins, or all of them, as the share says', async () => {
  const none = await open(0)
  const all = await open(1)
  for (const parent of [undefined, 'nonsense']) {
    expect(none.tracing.begin({ ...beginning, parent })).toBeUndefined()
    expect(all.tracing.begin({ ...beginning, parent })).toBeDefined()
  }
})

test('no more begin than may in a second, and the rest is counted', async () => {
  const { tracing, counts } = await open(1, 3)
  const spans = Array.from({ length: 10 }, () => tracing.begin({ ...beginning, parent: undefined }))
  expect(spans.filter((span) => span !== undefined)).toHaveLength(3)
  expect(counts).toMatchObject({ begun: 3, over_rate: 7 })
})

test('of spans that nobody takes a bounded number waits, and closing does not', async () => {
  const { tracing, counts } = await open(1, 10_000)
  for (let number = 0; number < 5_000; number += 1)
    tracing.begin({ ...beginning, parent: undefined })?.end()
  expect(counts.lost).toBe(5_000 - 2_048)
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  const closed = tracing.close()
  jest.advanceTimersByTime(3_000)
  await closed
  jest.useRealTimers()
})

import { expect, test } from '@jest/globals'
import type { OutRecord } from '@weir/kafka'
import { createMetrics } from '@weir/kit'
import { createOutputMetrics } from '../src/metrics.ts'
import { keysOfEra, sealExample } from './support/sealed.ts'
import { inputStream } from './support/streams.ts'

const { record } = await sealExample('clickstream', keysOfEra(inputStream()).whole)
const outOf = (headers: OutRecord['headers'] = {}): OutRecord => ({ ...record, headers })

function metricsOf(lags: (readonly [string, number])[] = [], lagSeriesMax = 2) {
  const registry = createMetrics('output')
  const metrics = createOutputMetrics(registry, {
    lags: () => lags,
    lagSeriesMax,
    denied: () => 0,
  })
  const lines = async (prefix: string): Promise<string[]> => {
    const text = await registry.metrics()
    return text.split('\n').filter((line) => line.startsWith(prefix))
  }
  return { metrics, lines }
}

test('committed records are counted by outcome, dead ones by code, and undecryptable fields', async () => {
  const { metrics, lines } = metricsOf()
  metrics.derived([outOf(), undefined, outOf({ 'svc-undecryptable': 'customer/id,other' })])
  metrics.derived([undefined, { dead: 'corrupt' }, undefined])
  expect(await lines('svc_output_events_total{')).toEqual([
    expect.stringMatching(/outcome="passed".* 2$/),
    expect.stringMatching(/outcome="filtered".* 3$/),
  ])
  expect(await lines('svc_output_dead_total{')).toEqual([
    expect.stringMatching(/code="corrupt".* 1$/),
  ])
  expect(await lines('svc_output_undecryptable')).toEqual([expect.stringMatching(/ 2$/)])
})

test('of the lags the largest are shown, as many as may be, and those that are gone are not', async () => {
  const lags: [string, number][] = [
    ['acme.a', 1],
    ['acme.b', 30],
    ['acme.c', 2],
  ]
  const { lines } = metricsOf(lags)
  const shown = async () =>
    (await lines('svc_output_lag_events{')).map((line) =>
      /stream="([^"]+)".* (\d+)$/.exec(line)?.slice(1),
    )
  expect(await shown()).toEqual([
    ['acme.b', '30'],
    ['acme.c', '2'],
  ])
  lags.splice(0, 2)
  expect(await shown()).toEqual([['acme.c', '2']])
})

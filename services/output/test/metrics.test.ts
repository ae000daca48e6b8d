import { expect, test } from '@jest/globals'
import { createMetrics } from '@weir/kit'
import { createOutputMetrics } from '../src/metrics.ts'

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

test('stored records are counted by outcome, dead ones by code, and undecryptable fields', async () => {
  const { metrics, lines } = metricsOf()
  metrics.derived({ passed: 2, filtered: 1, undecryptable: 2 }, [])
  metrics.derived({ passed: 0, filtered: 2, undecryptable: 0 }, [{ code: 'corrupt' }])
  expect(await lines('svc_output_events_total{')).toEqual([
    expect.stringMatching(/outcome="passed".* 2$/),
    expect.stringMatching(/outcome="filtered".* 3$/),
  ])
  const dead = await lines('svc_output_dead_total{')
  expect(dead.filter((line) => !line.endsWith(' 0'))).toEqual([
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

test('every counter is there from the start', async () => {
  const { lines } = metricsOf()
  const text = await lines('')
  const counters = text.flatMap((line) => /^# TYPE (svc_\w+) counter$/.exec(line)?.slice(1) ?? [])
  const isThere = (name: string) =>
    text.some((line) => /^\w+(\{.*\})? 0$/.test(line) && line.startsWith(name))
  expect(counters.length).toBeGreaterThan(8)
  expect(counters.filter((name) => !isThere(name))).toEqual([])
})

test('what may be counted is there from the start, with 0, so that its first increase is one', async () => {
  const { lines } = metricsOf()
  for (const [name, label] of [
    ['svc_output_events_total', 'outcome="filtered"'],
    ['svc_output_dead_total', 'code="corrupt"'],
    ['svc_output_dead_total', 'code="too_large"'],
    ['svc_output_derive_failures_total', 'code="not_known_yet"'],
    ['svc_output_dead_retried_total', 'outcome="failedAgain"'],
  ] as const)
    expect(await lines(`${name}{${label}`)).toEqual([expect.stringMatching(/ 0$/)])
})

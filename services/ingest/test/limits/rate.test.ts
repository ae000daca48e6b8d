// A stream's rate over several replicas that report to each other once per second. The test advances the clock.
// Replicas report at different times, and their heartbeats arrive late.
import { describe, expect, test } from '@jest/globals'
import { createRates } from '../../src/limits/rates.ts'
import type { Rates } from '../../src/limits/rates.ts'

const streamId = 's'
const stepMs = 5

type Simulated = {
  replicas: number
  rate: number
  seconds: number
  demand: (replica: number, second: number) => number
}

/** Returns how many requests all replicas together admit in each second. */
function simulate({ replicas, rate, seconds, demand }: Simulated): number[] {
  const parts = Array.from({ length: replicas }, (_, index) => ({
    id: `r${index}`,
    rates: createRates(0),
    ticksAt: Math.floor((index * 1000) / replicas / stepMs) * stepMs,
    owed: 0,
  }))
  for (const part of parts)
    for (const other of parts) if (other !== part) part.rates.hear(heard(other.id, {}, 0), 0)
  const mail: {
    atMs: number
    to: Rates
    from: string
    streams: Record<string, [number, number]>
  }[] = []
  const accepted = Array.from({ length: seconds }, () => 0)
  for (let nowMs = 0; nowMs < seconds * 1000; nowMs += stepMs) {
    const second = Math.floor(nowMs / 1000)
    while (mail[0] !== undefined && mail[0].atMs <= nowMs) {
      const { to, from, streams } = mail.shift() ?? never()
      to.hear(heard(from, streams, nowMs), nowMs)
    }
    for (const [index, part] of parts.entries()) {
      if (nowMs % 1000 === part.ticksAt) {
        const told = part.rates.closeSecond(nowMs)
        const streams = Object.fromEntries(
          Object.entries(told).map(([id, [demanded, taken]]) => [id, [demanded, taken]] as const),
        ) as Record<string, [number, number]>
        for (const other of parts)
          if (other !== part)
            mail.push({ atMs: nowMs + 30, to: other.rates, from: part.id, streams })
      }
      part.owed += (demand(index, nowMs / 1000) * stepMs) / 1000
      for (; part.owed >= 1; part.owed -= 1)
        if (part.rates.take(streamId, rate, nowMs)) accepted[second] = (accepted[second] ?? 0) + 1
    }
  }
  return accepted
}

const heard = (id: string, streams: Record<string, [number, number]>, nowMs: number) => ({
  id,
  beat: {
    service: 'ingest' as const,
    sentMs: 0,
    uptimeMs: 0,
    spanMs: 1000,
    control: '0',
    keys: '0',
    streams,
  },
  heardMs: nowMs,
  freshMs: nowMs,
})

function never(): never {
  throw new Error('not here')
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const rate = 1_000
const seconds = 30

describe('together the replicas let in the rate, and no more than a second of it besides', () => {
  test.each<[string, number, Simulated['demand']]>([
    ['two with the same load', 2, () => 2_000],
    ['two, one with most of it', 2, (replica) => (replica === 0 ? 3_000 : 200)],
    ['two, one with all of it', 2, (replica) => (replica === 0 ? 3_000 : 0)],
    ['eight, one with all of it', 8, (replica) => (replica === 0 ? 3_000 : 0)],
    ['five with a bit each', 5, () => 400],
    ['two that are hardly more than the rate', 2, () => 550],
    ['two whose load moves slowly', 2, (r, s) => (r === 0 ? 100 * s : 3_000 - 100 * s)],
    ['two whose load moves every 10 s', 2, (r, s) => (Math.floor(s / 10) % 2 === r ? 3_000 : 0)],
    ['two whose load moves every 5 s', 2, (r, s) => (Math.floor(s / 5) % 2 === r ? 3_000 : 100)],
    ['two whose load moves every 3 s', 2, (r, s) => (Math.floor(s / 3) % 2 === r ? 3_000 : 50)],
  ])('%s', (_, replicas, demand) => {
    const accepted = simulate({ replicas, rate, seconds, demand })
    const mean = sum(accepted) / seconds
    expect(mean).toBeGreaterThanOrEqual(950)
    expect(mean).toBeLessThanOrEqual(1_050)
    for (let from = 0; from < seconds; from += 1)
      for (let to = from + 1; to <= seconds; to += 1)
        expect(sum(accepted.slice(from, to))).toBeLessThanOrEqual(rate * (to - from + 2))
  })

  test('a load below the rate is let in whole, once the shares are found', () => {
    const accepted = simulate({ replicas: 2, rate, seconds, demand: (r) => (r === 0 ? 700 : 200) })
    expect(sum(accepted)).toBeGreaterThanOrEqual(seconds * 900 - 2)
  })

  test('a burst of one second is let in after a pause, by whoever gets it', () => {
    const demand = (r: number, s: number): number => (r === 0 && s % 10 < 0.5 ? 2_000 : 0)
    const accepted = simulate({ replicas: 2, rate, seconds, demand })
    expect(sum(accepted.slice(10))).toBeGreaterThanOrEqual(1_990)
  })

  test('a rate smaller than the number of replicas is reached too', () => {
    const accepted = simulate({ replicas: 3, rate: 1, seconds: 60, demand: () => 5 })
    expect(sum(accepted)).toBeGreaterThanOrEqual(57)
    expect(sum(accepted)).toBeLessThanOrEqual(66)
  })
})

describe('the share of a replica', () => {
  const beat = (demand: number, taken: number): Record<string, [number, number]> => ({
    [streamId]: [demand, taken],
  })
  const ask = (rates: Rates, times: number, nowMs: number, eventsASecond = rate): number => {
    let accepted = 0
    for (let i = 0; i < times; i += 1) if (rates.take(streamId, eventsASecond, nowMs)) accepted += 1
    return accepted
  }

  test('is everything when there is no other: a bucket of one second that fills at the rate', () => {
    const rates = createRates(0)
    expect(rates.share(streamId)).toBe(1)
    expect(ask(rates, 2_000, 0)).toBe(1_000)
    expect(ask(rates, 2_000, 100)).toBe(100)
    expect(ask(rates, 2_000, 10_000)).toBe(1_000)
  })

  test('is 1 over N before there was any demand', () => {
    const rates = createRates(0)
    for (const id of ['a', 'b', 'c']) rates.hear(heard(id, {}, 0), 0)
    expect(rates.share(streamId)).toBe(1 / 4)
    expect(ask(rates, 2_000, 0)).toBe(250)
  })

  test("is in proportion to last second's demand", () => {
    const rates = createRates(0)
    ask(rates, 300, 0)
    rates.hear(heard('a', beat(900, 500), 500), 500)
    rates.closeSecond(1_000)
    expect(rates.share(streamId)).toBeCloseTo(0.25)
    rates.hear(heard('a', beat(100, 100), 1_500), 1_500)
    expect(rates.share(streamId)).toBeCloseTo(0.75)
  })

  test('starts with what the others left of the last second', () => {
    const rates = createRates(0)
    rates.hear(heard('a', beat(700, 700), 0), 0)
    expect(ask(rates, 2_000, 0)).toBe(150)
  })

  test('grows when another one leaves, or is not heard of for 5 s', () => {
    const rates = createRates(0)
    ask(rates, 100, 0)
    rates.hear(heard('a', beat(300, 100), 500), 500)
    rates.hear(heard('b', beat(100, 100), 500), 500)
    rates.closeSecond(1_000)
    expect(rates.share(streamId)).toBeCloseTo(0.2)
    const last = heard('a', {}, 1_500)
    rates.hear({ ...last, beat: { ...last.beat, leaving: true } }, 1_500)
    expect(rates.share(streamId)).toBeCloseTo(0.5)
    for (const nowMs of [2_000, 3_000, 4_000, 5_000]) {
      ask(rates, 100, nowMs - 1)
      rates.closeSecond(nowMs)
      expect(rates.share(streamId)).toBeCloseTo(0.5)
    }
    ask(rates, 100, 5_600)
    rates.closeSecond(6_000)
    expect(rates.share(streamId)).toBe(1)
  })

  test('is not changed by what was written long before this replica began', () => {
    const rates = createRates(100_000)
    rates.hear({ ...heard('a', beat(900, 900), 100_000), freshMs: 90_000 }, 100_000)
    expect(rates.share(streamId)).toBe(1)
  })
})

describe('a rate that is changed', () => {
  test('holds from the next request on', () => {
    const rates = createRates(0)
    const take = (eventsASecond: number, nowMs: number): number => {
      let accepted = 0
      for (let i = 0; i < 5_000; i += 1)
        if (rates.take(streamId, eventsASecond, nowMs)) accepted += 1
      return accepted
    }
    expect(take(10, 0)).toBe(10)
    expect(take(1_000, 10)).toBe(10)
    expect(take(1_000, 1_010)).toBe(1_000)
    expect(take(5, 2_010)).toBe(5)
    expect(take(5, 3_010)).toBe(5)
  })
})

test('what was told is told once, and only streams that were asked for', () => {
  const rates = createRates(0)
  for (let i = 0; i < 15; i += 1) rates.take('busy', 10, 0)
  expect(rates.closeSecond(1_000)).toEqual({ busy: [15, 10] })
  expect(rates.closeSecond(2_000)).toEqual({})
})

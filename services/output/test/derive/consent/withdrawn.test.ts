// Withdrawn levels: random histories of consents and withdrawals. Compares the events that streams of random levels
// derive with what a person would expect.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createOpener } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { ConsentLevelType } from '@weir/control-state'
import { asObject, exampleEvent, scale, seededNumbers } from '@weir/testkit'
import { createDerive, undecryptablePathsOf } from '../../../src/derive/derive.ts'
import { keysOfEra, registryId, sealExample } from '../../support/sealed.ts'
import type { Sealed } from '../../support/sealed.ts'

const input = { streamId: randomUUID(), rotationHours: 24 }
const { svcMeta } = await exampleEvent('demo_v1')
const histories = scale(1_000, 250)
/** The fields by level. Levels 0 and 4 have no field. */
const fields = ['', 'unique_identifier', 'consistent_value', 'some_sensitive_value', '']
const levels = [...fields.keys()]

type Stream = { readonly consentLevels: number[]; readonly consentLevelType: ConsentLevelType }
type Event = { readonly sealed: Sealed; readonly consent: number[]; withdrawnSince: number[] }

const random = seededNumbers(20_261_125)
const some = (share: number): number[] => levels.filter(() => random() < share)
const oneOf = (all: readonly number[]): number => all[Math.floor(random() * all.length)] ?? 0

const derived = (stream: Stream, { sealed }: Pick<Event, 'sealed'>, keys: EraKeys) =>
  createDerive(
    {
      opener: createOpener({ entriesMax: 100 }),
      contract: () => ({ contract: sealed.contract, registryId }),
      eraKeys: () => keys,
    },
    stream,
    input,
  )(sealed.record)

/**
 * Returns what a person would expect: undefined if the event doesn't pass, otherwise the fields that stay encrypted.
 */
function expected(stream: Stream, { consent, withdrawnSince }: Event): string[] | undefined {
  const left = consent.filter((level) => !withdrawnSince.includes(level))
  if (stream.consentLevels.some((level) => !left.includes(level))) return undefined
  const [highest = 0] = stream.consentLevels
  const sees = (level: number): boolean =>
    stream.consentLevelType === 'CUMULATIVE'
      ? level <= highest
      : stream.consentLevels.includes(level)
  return fields.filter(
    (path, level) => path !== '' && sees(level) && withdrawnSince.includes(level),
  )
}

async function historyOf(person: string, keys: ReturnType<typeof keysOfEra>) {
  const changing = keys.changing()
  const events: Event[] = []
  for (let step = 0; step < 6; step += 1) {
    if (random() < 0.5) {
      const consent = some(0.8)
      const more = {
        consistent_value: person,
        unique_identifier: { string: 'u' },
        some_sensitive_value: { string: 's' },
        svcMeta: { ...asObject(svcMeta), consentLevels: consent },
      }
      const sealed = await sealExample('demo_v1', changing.now(), more)
      events.push({ sealed, consent, withdrawnSince: [] })
    } else {
      const withdrawn = random() < 0.7 ? [oneOf(levels)] : some(0.4)
      const whose = random() < 0.8 ? person : 'somebody else'
      changing.withdraw(whose, withdrawn)
      if (whose === person)
        for (const event of events) event.withdrawnSince = [...event.withdrawnSince, ...withdrawn]
    }
  }
  return { events, keys: changing.now() }
}

test('random histories come out as a person would expect', async () => {
  const keys = keysOfEra(input)
  const seen = { passed: 0, filtered: 0, closed: 0 }
  for (let nth = 0; nth < histories; nth += 1) {
    const { events, keys: now } = await historyOf(`person ${nth}`, keys)
    const isGranular = random() < 0.5
    const stream: Stream = isGranular
      ? { consentLevels: [...new Set([oneOf(levels), ...some(0.2)])], consentLevelType: 'GRANULAR' }
      : { consentLevels: [oneOf(levels)], consentLevelType: 'CUMULATIVE' }
    for (const event of events) {
      const record = derived(stream, event, now)
      const closed = record && [...undecryptablePathsOf(record)].sort()
      expect({ nth, closed }).toEqual({ nth, closed: expected(stream, event)?.sort() })
      if (record === undefined) seen.filtered += 1
      else seen.passed += 1
      seen.closed += closed?.length ?? 0
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(histories / 10)
}, 120_000)

test('while it cannot be read what people have withdrawn, nothing passes', async () => {
  const keys = keysOfEra(input)
  const sealed = await sealExample('demo_v1', keys.whole, {
    svcMeta: { ...asObject(svcMeta), consentLevels: [0] },
  })
  const stream: Stream = { consentLevels: [0], consentLevelType: 'CUMULATIVE' }
  expect(derived(stream, { sealed }, keys.whole)).toBeDefined()
  expect(() => derived(stream, { sealed }, keys.withoutWithdrawn)).toThrow('not known yet')
  expect(() => derived(stream, { sealed }, keys.withoutLabel)).not.toThrow()
})

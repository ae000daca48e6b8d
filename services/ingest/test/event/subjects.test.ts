// The records of data subjects, with real keys and a fake Kafka whose responses the test controls.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  createSealer,
  eraAt,
  eraKeys,
  makeEraParts,
  keyTimeOf,
  termKeys,
  termOf,
} from '@weir/fieldcrypt'
import type { EraKeys, Person } from '@weir/fieldcrypt'
import { AppError } from '@weir/kit'
import { linkIn, subjectPrefix, subjectPartitionOf } from '@weir/control-state'
import { createSubjects } from '../../src/event/subjects.ts'

const nowMs = Date.UTC(2027, 0, 15, 12)
const time = keyTimeOf(nowMs, 24 * 3_600_000)
const keys = madeKeys()

function madeKeys(): EraKeys {
  const parts = makeEraParts([0], randomBytes)
  const tree = parts.get('tree') ?? Buffer.alloc(0)
  const streamId = 'a2f1c6f4-6f0e-4d5c-9c39-0c1de4b0a111'
  const [era, trees] = [eraAt(nowMs), [['', () => tree]] as const]
  const term = termKeys({ streamId, term: termOf(era), trees, link: parts.get('link') })
  return eraKeys(term, {
    era,
    label: parts.get('label'),
    level: (level) => parts.get(`level.${level}`),
  })
}

const personOf = (device: string): Person =>
  createSealer({ entriesMax: 100 }).person(keys, device, time)

type Options = { keptMax?: number; linksMax?: number; waitingBytesMax?: number; fails?: boolean }

function subjectsOn(options: Options = {}) {
  const { fails = false, waitingBytesMax = 1_000, linksMax = 100, ...more } = options
  const written: { topic: string; partition: number; key: string; value: Buffer }[] = []
  let isFailing = fails
  const subjects = createSubjects({
    producer: {
      async send(topic, partition, { key, value }) {
        if (isFailing) throw new AppError('kafka.unavailable', 'no broker')
        written.push({ topic, partition, key: String(key), value: Buffer.from(value) })
      },
    },
    waitingBytesMax,
    linksMax,
    ...more,
  })
  const keep = (subject: string, person: Person, bytes = 10) =>
    subjects.keep({ subject, person, keys, bytes })
  return { written, keep, heal: () => void (isFailing = false) }
}

test('the first event of a subject’s link writes it down, later ones write nothing', async () => {
  const { written, keep } = subjectsOn()
  const [device, other] = [personOf('device'), personOf('other')]
  await keep('anna', device)
  expect(keep('anna', device)).toBeUndefined()
  expect(keep('anna', personOf('device'))).toBeUndefined()
  await keep('anna', other)
  await keep('ben', device)
  expect(keep('ben', device)).toBeUndefined()
  expect(keep('anna', device)).toBeUndefined()
  expect(written).toHaveLength(3)
})

test('what is written names the link to who has the keys, and neither subject nor link in the clear', async () => {
  const { written, keep } = subjectsOn()
  const device = personOf('device')
  await keep('anna@example.com', device)
  const [
    { topic, partition, key, value } = { topic: '', partition: -1, key: '', value: undefined },
  ] = written
  if (keys.link === undefined) throw new Error('there is no link')
  const hash = keys.link.subjectHash('anna@example.com')
  expect([topic, partition]).toEqual(['weir.subjects', subjectPartitionOf(hash)])
  expect(String(value)).toBe('{"type":"subject-link","version":1}')
  expect(linkIn(key, subjectPrefix(keys, hash), keys.link)).toEqual(new Uint8Array(device.link))
  expect(key).not.toContain('anna')
  expect(key).not.toContain(Buffer.from(device.link).toString('hex'))
})

test('events that come at once share one write, and all wait for it', async () => {
  const { written, keep } = subjectsOn()
  const device = personOf('device')
  const waits = Array.from({ length: 20 }, () => keep('anna', device))
  expect(waits.every((wait) => wait instanceof Promise)).toBe(true)
  await Promise.all(waits.filter((wait) => wait !== undefined))
  expect(written).toHaveLength(1)
})

test('what could not be written is refused, and written by the next one', async () => {
  const { written, keep, heal } = subjectsOn({ fails: true })
  const device = personOf('device')
  await expect(keep('anna', device)).rejects.toMatchObject({ code: 'kafka.unavailable' })
  heal()
  await keep('anna', device)
  expect(written).toHaveLength(1)
})

test('what was forgotten for want of room is written again', async () => {
  const { written, keep } = subjectsOn({ keptMax: 2 })
  for (const subject of ['anna', 'ben', 'carl']) await keep(subject, personOf('device'))
  await keep('anna', personOf('device'))
  expect(written).toHaveLength(4)
})

describe('a subject that has as many links as it may', () => {
  const refused = expect.objectContaining({
    code: 'subject_links_exceeded',
    message: expect.stringContaining('already has 2 pseudonyms in this term'),
  })

  test('gets no more, keeps those that it has, and is no matter to others', async () => {
    const { written, keep } = subjectsOn({ linksMax: 2 })
    await keep('anna', personOf('a'))
    await keep('anna', personOf('b'))
    expect(() => keep('anna', personOf('c'))).toThrow(refused)
    expect(keep('anna', personOf('a'))).toBeUndefined()
    await keep('ben', personOf('c'))
    expect(written).toHaveLength(3)
  })

  test('gets no more when all come at once, and those that could not be written do not count', async () => {
    const { keep, heal } = subjectsOn({ linksMax: 2, fails: true })
    const lost = expect.objectContaining({ code: 'kafka.unavailable' })
    const both = ['a', 'b'].map((device) =>
      expect(keep('anna', personOf(device))).rejects.toEqual(lost),
    )
    expect(() => keep('anna', personOf('c'))).toThrow(refused)
    await Promise.all(both)
    heal()
    await keep('anna', personOf('c'))
    await keep('anna', personOf('d'))
    expect(() => keep('anna', personOf('e'))).toThrow(refused)
  })

  test('is not counted twice for what was written again', async () => {
    const { written, keep } = subjectsOn({ linksMax: 2, keptMax: 2 })
    for (let round = 0; round < 5; round++) {
      await keep('anna', personOf('a'))
      await keep('ben', personOf('b'))
      await keep('carl', personOf('c'))
    }
    expect(written).toHaveLength(15)
  })
})

test('events that wait take no more than their bound', async () => {
  const { keep } = subjectsOn({ waitingBytesMax: 100 })
  const first = keep('anna', personOf('a'), 90)
  expect(() => keep('anna', personOf('b'), 20)).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  )
  await first
  await keep('anna', personOf('b'), 20)
})

// Thousands of events of all contracts, from 8 connections with 100 concurrent requests each, through several derived
// streams. Each event is in the right streams, once, and contains what was sent (spec Events; docs/architecture.md 4).
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { consentOf, createOpener, parseKekFile, keyTimeOf } from '@weir/fieldcrypt'
import { createLog } from '@weir/kit'
import { consentLevelsOf } from '@weir/contracts'
import { followState } from '@weir/control-state'
import { expectStatus, kekFileOf, scale } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { makeEvents } from '../support/many-events.ts'
import type { SentEvent } from '../support/many-events.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'
import { sendAll } from '../support/send-all.ts'
import { fieldsSent, levelsByPath, stored } from '../support/stored-events.ts'
import type { Stored } from '../support/stored-events.ts'

const eventCount = scale(10_000, 1_500)
const peopleCount = scale(2_000, 300)
const events = makeEvents(eventCount, peopleCount, 20_261_120)

/** The outputs, with the levels that each decrypts, written independently of the code. */
const outputs = {
  'level-0': { consentLevels: [0], opens: (level: number) => level === 0 },
  'level-1': { consentLevels: [1], opens: (level: number) => level <= 1 },
  'level-2': { consentLevels: [2], opens: (level: number) => level <= 2 },
  'level-3': { consentLevels: [3], opens: (level: number) => level <= 3 },
  'only-1-and-3': {
    consentLevels: [1, 3],
    consentLevelType: 'GRANULAR',
    opens: (level: number) => level === 1 || level === 3,
  },
} as const
const names = Object.keys(outputs) as (keyof typeof outputs)[]

let scene: Scene
let input: TestStream
let inInput: Stored[]
let places: Map<string, Stored>
const inOutput = new Map<string, Stored[]>()

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contracts()
  input = await scene.account.input('events')
  for (const name of names) {
    const { opens: _, ...definition } = outputs[name]
    await scene.output('events', name, definition)
  }
  const how = { ingestUrl: scene.world.ingest.url, connections: 8, streams: 100 }
  await sendAll(events, { ...how, token: await scene.tokenOf(input) })
  inInput = (await scene.topics.read(input.topic)).map(stored)
  places = new Map(inInput.map((item) => [item.place, item]))
  for (const name of names) {
    await scene.untilDerived(input, name)
    const records = await scene.topics.read(`${scene.account.billingId}.${name}`)
    inOutput.set(name, records.map(stored))
  }
}, 120_000)

afterAll(() => scene.close(), 30_000)

const of = (name: keyof typeof outputs): Stored[] => inOutput.get(name) ?? []
const numbers = (all: readonly { number: number }[]) =>
  all.map(({ number }) => number).sort((a, b) => a - b)

/** Returns a few of the items for which a check fails, with actual and expected values. */
function faults<Item extends { number: number }>(
  items: readonly Item[],
  check: (item: Item, sent: SentEvent) => readonly [actual: unknown, expected: unknown],
): unknown[] {
  const found: unknown[] = []
  for (const item of items) {
    const sent = events[item.number]
    const [actual, expected] = sent === undefined ? [item, undefined] : check(item, sent)
    if (!isDeepStrictEqual(actual, expected)) found.push({ number: item.number, actual, expected })
    if (found.length === 3) break
  }
  return found
}

describe('the input topic', () => {
  test('holds each event that was answered 204 once, and nothing else', () => {
    expect(numbers(inInput)).toEqual(numbers(events))
  })

  test('holds every field that is no PII as it was sent', () => {
    expect(faults(inInput, ({ rest }, sent) => [rest, fieldsSent(sent).rest])).toEqual([])
  })

  test('holds every PII text that is not null sealed, 21 bytes longer, and under its keyLink', () => {
    const isSealed = (text: string, sent: string, { record }: Stored): boolean => {
      const bytes = Buffer.from(text, 'base64')
      const id = record.headers['svc-key-link']?.subarray(0, 4)
      return (
        bytes.length === Buffer.byteLength(sent) + 21 &&
        bytes[0] === 1 &&
        id?.equals(bytes.subarray(1, 5)) === true &&
        (sent === '' || !bytes.includes(sent))
      )
    }
    const check = (item: Stored, sent: SentEvent) => {
      const plain = fieldsSent(sent).pii
      const good = Object.keys(item.pii).filter((path) =>
        isSealed(item.pii[path] ?? '', plain[path] ?? '', item),
      )
      return [good, Object.keys(plain)] as const
    }
    expect(faults(inInput, check)).toEqual([])
  })

  test('stamps each event with its contract, its record’s time and keyLink, and its account', () => {
    const check = (
      { record, meta, key }: Stored,
      { contract, schemaId, consentLevels }: SentEvent,
    ) => {
      const { nonce, keyLink, ...others } = meta
      const isText = contract === 'demo_event'
      const int = (record.headers['svc-key-link']?.readUInt32BE(0) ?? 0) & 0x7fffffff
      const expected = {
        [isText ? 'eventContractRef' : 'schemaId']: schemaId,
        timestamp: record.timestampMs,
        billingId: scene.account.billingId,
        consentLevels,
        keyLink: isText ? key : int,
        nonce: 'number',
      }
      return [{ ...others, keyLink, nonce: typeof nonce }, expected] as const
    }
    expect(faults(inInput, check)).toEqual([])
  })

  test('keeps the order in which each person’s events were sent', () => {
    const byPerson = (all: readonly { number: number }[]) => {
      const people = Map.groupBy(all, ({ number }) => events[number]?.person ?? '')
      return new Map([...people].map(([person, own]) => [person, own.map(({ number }) => number)]))
    }
    expect(byPerson(inInput)).toEqual(byPerson(events))
  })

  test('has one key a person, and another for each', () => {
    const keys = Map.groupBy(inInput, ({ number }) => events[number]?.person)
    const ofEach = [...keys.values()].map((own) => new Set(own.map(({ key }) => key)))
    expect(new Set(ofEach.flatMap((own) => [...own])).size).toBe(
      ofEach.reduce((sum, own) => sum + own.size, 0),
    )
  })
})

describe.each(names)('the topic of %s', (name) => {
  const { consentLevels, opens } = outputs[name]
  const hasConsent = ({ consentLevels: given }: SentEvent) =>
    consentLevels.every((level) => given.includes(level))
  test('holds each event whose consent says so once, and no other', () => {
    expect(numbers(of(name))).toEqual(numbers(events.filter(hasConsent)))
  })

  test('decrypts what its levels allow, and leaves all else as it lies in the input', () => {
    const check = (item: Stored, sent: SentEvent) => {
      const source = places.get(item.source ?? '')
      const levels = levelsByPath(sent)
      const plain = fieldsSent(sent).pii
      const pii = Object.fromEntries(
        Object.entries(source?.pii ?? {}).map(([path, sealed]) => [
          path,
          opens(levels[path] ?? 256) ? plain[path] : sealed,
        ]),
      )
      const { meta, rest } = item
      return [
        { pii: item.pii, meta, rest },
        { pii, meta: source?.meta, rest: source?.rest },
      ] as const
    }
    expect(faults(of(name), check)).toEqual([])
  })

  test('keeps partition, key and time of the input record, and names it as its source', () => {
    const check = ({ record, source }: Stored) => {
      const from = places.get(source ?? '')?.record
      const { partition, key, headers } = record
      const expected = from && {
        partition: from.partition,
        key: from.key,
        headers: {
          ...from.headers,
          'svc-time': Buffer.from(`${from.timestampMs}`),
          'svc-source': Buffer.from(`${input.topic}/${source}`),
        },
      }
      return [{ partition, key, headers }, expected] as const
    }
    expect(faults(of(name), check)).toEqual([])
  })

  test('is derived from exactly those places of the input whose consent says so, each once, in order', () => {
    const expected = inInput.filter(({ number }) => {
      const sent = events[number]
      return sent !== undefined && hasConsent(sent)
    })
    expect(of(name).map(({ source }) => source)).toEqual(expected.map(({ place }) => place))
  })
})

describe('keys hold it to its levels, whatever its code does', () => {
  test('with the wrapping keys of levels 0 and 1 alone, fields of levels 2 and 3 cannot be decrypted', async () => {
    const { streamId } = expectStatus(
      await scene.account.call('GET', '/v2/streams/events'),
      200,
    ).body
    const following = followState({
      kafka: scene.topics.kafka,
      service: 'test',
      kek: parseKekFile(await readFile(kekFileOf('output'), 'utf8')),
      mayUnwrap: (wrappingKey) => ['open', 'level.0', 'level.1'].includes(wrappingKey),
      log: createLog('test', 'silent'),
    })
    await following.start()
    const opener = createOpener({ entriesMax: 10_000 })
    const outcomes = new Map<string, number>()
    for (const { record, pii, meta, contract, number } of inInput.slice(0, 2_000)) {
      const consent = consentOf(consentLevelsOf({ svcMeta: meta }))
      const time = keyTimeOf(record.timestampMs, 24 * 3_600_000)
      const keys = following.follower.keyring.eraKeys(
        scene.account.billingId,
        String(streamId),
        time.era,
      )
      const keyLink = record.headers['svc-key-link'] ?? Buffer.alloc(0)
      const person = keys && opener.person(keys, keyLink, time)
      if (person === undefined || person === 'unknown') throw new Error(`no keys for ${contract}`)
      const sent = events[number]
      const levels = sent === undefined ? {} : levelsByPath(sent)
      for (const [path, text] of Object.entries(pii)) {
        const at = { consent, level: levels[path] ?? 256, path }
        const outcome = `level ${levels[path]}: ${opener.open(person, at, text).kind}`
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    await following.close()
    expect([...outcomes.keys()].sort()).toEqual([
      'level 0: opened',
      'level 1: opened',
      'level 2: unknown',
      'level 3: unknown',
    ])
  })
})

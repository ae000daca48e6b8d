// A deployment of output has only the KEKs of lower levels. It serves streams of these levels, and refuses other
// streams. An attacker who controls this deployment decrypts no higher level and no key field.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { consentLevelsOf } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import type { Service } from '@weir/devstack'
import { consentOf, createOpener, keyTimeOf } from '@weir/fieldcrypt'
import { unframe } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import { pollUntil } from '@weir/kit'

import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import type { Account } from '../../src/world/account.ts'
import { counterOf } from '../../src/world/metrics.ts'
import { openKeys } from '../../src/world/open-keys.ts'
import type { OpenedKeys } from '../../src/world/open-keys.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'
import { isPerson, keysOf } from './taken-over/people.ts'

// Its fields: unique_identifier (level 1), consistent_value (level 2, the key field), some_sensitive_value (level 3).
const schemaId = 'demo_v1'
const person = 'the person of this test'
const rotationMs = 86_400_000

let own: OwnNames
let world: World
let low: Service
let account: Account
let contract: Contract
let inputTopic: string

const lowLines = `low 1 ${'10'.repeat(32)}\n`
const lineOf = (name: string, byte: string): string => `${name} 1 ${byte.repeat(32)}\n`
const allLines = `${lowLines}${lineOf('high', '20')}${lineOf('link', '30')}${lineOf('sign', '40')}`

beforeAll(async () => {
  own = await openOwnNames('levels')
  const [kekFile, lowFile] = [join(own.folder, 'kek'), join(own.folder, 'low')]
  await writeFile(kekFile, allLines)
  await writeFile(lowFile, lowLines)
  world = await own.startWorld({
    KEK_FILE: kekFile,
    KEK_WRAPS:
      'sign=file:sign,link=file:link,levels=file:high,open=file:low,level.0=file:low,level.1=file:low',
  })
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  contract = await compiledExample(schemaId)
  inputTopic = (await account.input('clicks', { partitions: 1 })).topic
  low = await world.replica('output', {
    KEK_FILE: lowFile,
    OUTPUT_LEVELS: '0-1',
    DECRYPTER_NAMES: 'low',
  })
})

afterAll(async () => {
  await own?.close()
})

async function sendOne(): Promise<Record<string, unknown>> {
  const event = { ...(await exampleEvent(schemaId)), consistent_value: person }
  const producer = await connectProducer(world.ingest.url)
  const stream = asObject((await account.call('GET', '/v2/streams/clicks')).body)
  const made = await account.call('POST', '/v2/streams/clicks/credentials', { scope: ['send'] })
  const { clientId, clientSecret } = expectStatus(made, 201).body
  expect(stream['enabled']).toBe(true)
  const token = await account.token({
    clientId: String(clientId),
    clientSecret: String(clientSecret),
  })
  const answer = await producer.send(event, { token, schemaId })
  producer.close()
  expect([answer.status, answer.body]).toEqual([204, ''])
  return event
}

test('it is ready, and serves a stream of its levels: higher fields stay sealed', async () => {
  await account.output('clicks', 'low-1', { consentLevels: [1], decrypterName: 'low' })
  const sent = await sendOne()
  const [record] = await own.reader.readUntil(`${account.billingId}.low-1`, 1)
  const [sealed] = await own.reader.readUntil(inputTopic, 1)
  if (record === undefined || sealed === undefined) throw new Error('there is no record')
  const [open, stored] = [plainEvent(contract, record), plainEvent(contract, sealed)]
  const plain = textOf(sent['unique_identifier'])
  expect(open['unique_identifier']).toBe(plain)
  expect(stored['unique_identifier']).not.toBe(plain)
  for (const path of ['consistent_value', 'some_sensitive_value'])
    expect(open[path]).toEqual(stored[path])
})

test('a stream that asks for a higher level is not derived by it, and it says so', async () => {
  await account.output('clicks', 'low-2', {
    consentLevels: [2],
    decrypterName: 'low',
    from: 'earliest',
  })
  const isDenied = async () => (await counterOf(low, 'svc_output_streams_denied')) === 1
  await pollUntil(isDenied, { deadlineMs: 60_000, what: 'a denied stream in the metrics' })
  expect(low.lines().join('\n')).toContain('levels that this deployment may not decrypt')
  const ask = { consentLevels: [2], consentLevelType: 'CUMULATIVE' }
  const path = '/v2/streams/clicks/outputs'
  const preview = await request(low.url, account.apiKey, 'POST', `${path}/preview`, ask)
  expect([preview.status, preview.body['code']]).toEqual([409, 'level_not_served'])
  const retry = await request(low.url, account.apiKey, 'POST', `${path}/low-2/dead/retry`)
  expect([retry.status, retry.body['code']]).toEqual([409, 'level_not_served'])
  expect(await own.reader.read(`${account.billingId}.low-2`)).toEqual([])
})

/** Returns the fields that these keys decrypt, by path, and the guess that is the record's person. */
function attack(keys: OpenedKeys, record: SourceRecord, guesses: readonly string[]) {
  const time = keyTimeOf(Number(record.timestampMs), rotationMs)
  const era = keysOf(keys, time.era)
  const keyLink = record.headers['svc-key-link']
  if (keyLink === undefined || record.value === null) throw new Error('not an event')
  const opener = createOpener({ entriesMax: 10 })
  const someone = opener.person(era, keyLink, time)
  const opened: Record<string, string> = {}
  const event = contract.decode(unframe(record.value).payload)
  const consent = consentOf(consentLevelsOf(event))
  contract.mapPii(event, (text, path, level) => {
    const field =
      someone === 'unknown' ? undefined : opener.open(someone, { consent, level, path }, text)
    if (field?.kind === 'opened') opened[path] = field.value
    return text
  })
  return { opened, person: guesses.find((guess) => isPerson(era, keyLink, guess)) }
}

test('with all that this deployment has and the whole of weir.keys, level 2 and the key field stay unknown', async () => {
  const [record] = await own.reader.readUntil(inputTopic, 1)
  if (record === undefined) throw new Error('there is no record')
  const sent = await exampleEvent(schemaId)
  const guesses = ['somebody', person, 'somebody else']

  const stolen = await openKeys(own.reader, await readFile(join(own.folder, 'low'), 'utf8'))
  const held = [...stolen.parts].filter(([, { plain }]) => plain !== undefined)
  const names = new Set(held.map(([key]) => key.slice(key.lastIndexOf('/') + 1)))
  expect(names).toEqual(new Set(['label', 'tree', 'level.1']))
  expect(attack(stolen, record, guesses)).toEqual({
    opened: { unique_identifier: textOf(sent['unique_identifier']) },
    person: undefined,
  })

  // Proves that the attack works: with all KEKs the attacker gets everything.
  const all = await openKeys(own.reader, allLines)
  expect(attack(all, record, guesses)).toEqual({
    opened: expect.objectContaining({ consistent_value: person }),
    person,
  })
})

/** Returns the value of a nullable field in Avro JSON. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : String(asObject(value)['string'])

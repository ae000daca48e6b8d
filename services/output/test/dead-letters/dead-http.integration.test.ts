// Dead-lettered records and previews over HTTP, as accounts request them (docs/wire-format.md, Dead-lettered records,
// lag and preview).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTransactor } from '@weir/kafka'
import type { AddressedRecord, SourceRecord } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  signUp,
  exampleContract,
  exampleEvent,
  expectStatus,
  freshName,
  listIn,
} from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { askOf } from '../support/ask.ts'
import { openSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

let scene: ApartScene
let input: TestStream
let derived: TestStream
const dead = '/v2/streams/in/outputs/out/dead'
const lag = '/v2/streams/in/outputs/out/lag'
const previewPath = '/v2/streams/in/outputs/preview'

beforeAll(async () => {
  scene = await openSceneApart()
  await scene.account.contract('demo_v1')
  input = await scene.account.input('in')
  derived = await scene.output('in', 'out', { consentLevels: [2] })
})

afterAll(() => scene.close(), 30_000)

const ask = askOf(() => scene)

const send = async (person: string, consentLevels: readonly number[]): Promise<void> => {
  const example = await exampleEvent('demo_v1')
  await scene.send(input, 'demo_v1', {
    ...example,
    svcMeta: { ...asObject(example['svcMeta']), consentLevels },
    consistent_value: person,
  })
}

async function writeForeign(records: readonly AddressedRecord[]): Promise<void> {
  const transactor = createTransactor(scene.topics.kafka, {
    transactionalId: `foreign.${input.topic}`,
    timeoutMs: 10_000,
  })
  await transactor.fence()
  await transactor.transaction((transaction) => transaction.send(records))
  await transactor.close()
}

/** Copies a stored record, but names another contract. */
const namedAs = (
  { key, value, headers, timestampMs, partition }: SourceRecord,
  schemaId: string,
): AddressedRecord => ({
  topic: input.topic,
  partition,
  key,
  value,
  timestampMs,
  headers: { ...headers, 'svc-schema-id': schemaId },
})

const sourcesOf = (records: readonly SourceRecord[]) =>
  records.map(({ headers }) => headers['svc-source']?.toString() ?? '').sort()

describe('a preview', () => {
  test('of a stream without events says so', async () => {
    const { status, body } = await ask('POST', previewPath, { body: { consentLevels: [1] } })
    expect(status).toBe(200)
    expect(body).toEqual({
      events: 0,
      passed: 0,
      filtered: 0,
      failed: 0,
      errors: {},
      fields: [],
      samples: [],
    })
  })

  test('tells what passes, what comes out open, and shows it; nothing is made', async () => {
    // Given
    for (const person of ['anna', 'bert', 'cleo']) await send(person, [0, 1, 2])
    await send('dora', [0])

    // When
    const cumulative = await ask('POST', previewPath, { body: { consentLevels: [2] } })
    const granular = await ask('POST', previewPath, {
      body: { consentLevels: [1], consentLevelType: 'GRANULAR', last: 10_000 },
    })

    // Then
    expect(cumulative.body).toMatchObject({ events: 4, passed: 3, filtered: 1, failed: 0 })
    const field = (path: string, level: number, opened: number) => ({
      contract: 'demo_v1',
      path,
      level,
      opened,
      sealed: 3 - opened,
    })
    expect(cumulative.body['fields']).toEqual([
      field('consistent_value', 2, 3),
      field('some_sensitive_value', 3, 0),
      field('unique_identifier', 1, 3),
    ])
    expect(granular.body['fields']).toEqual([
      field('consistent_value', 2, 0),
      field('some_sensitive_value', 3, 0),
      field('unique_identifier', 1, 3),
    ])
    const people = listIn(cumulative.body, 'samples')
      .map((sample) => String(asObject(sample)['consistent_value']))
      .sort()
    expect(people).toEqual(['anna', 'bert', 'cleo'])
    expect(granular.text).not.toMatch(/anna|bert|cleo/)
    expect(
      (await ask('POST', previewPath, { body: { consentLevels: [2], last: 2 } })).body,
    ).toMatchObject({ events: 2 })
    const outputs = await scene.account.call('GET', '/v2/streams/in/outputs')
    expect(JSON.parse(outputs.text)).toHaveLength(1)
  })

  test('of what no stream could be is refused with all problems, as its making is', async () => {
    const body = { consentLevels: [1, 256, 1], consentLevelType: 'CUMULATIVE', last: 0, more: 1 }
    const { status, headers, body: problem } = await ask('POST', previewPath, { body })
    expect(status).toBe(422)
    expect(headers.get('content-type')).toBe('application/problem+json')
    const { more: _more, last: _last, ...making } = body
    const made = await scene.account.call('POST', '/v2/streams/in/outputs', {
      name: 'x',
      ...making,
    })
    expect(made.status).toBe(422)
    expect(made.body['problems']).toEqual(
      expect.arrayContaining([expect.stringContaining('0 to 255')]),
    )
    for (const sentence of Object.values(asObject(made.body['problems'])))
      expect(problem['problems']).toContain(sentence)
    expect(problem['problems']).toContain('last must be a whole number from 1 to 10000')
    expect(problem['problems']).toContain('more is not known here; leave it out')
    expect((await ask('POST', previewPath, { body: '{"a' })).body).toMatchObject({
      code: 'not_json',
    })
  })

  test('goes on while the input is disabled', async () => {
    await scene.account.call('PATCH', '/v2/streams/in', { enabled: false })
    const { body } = await ask('POST', previewPath, { body: { consentLevels: [2] } })
    await scene.account.call('PATCH', '/v2/streams/in', { enabled: true })
    expect(body).toMatchObject({ events: 4 })
  })
})

describe('who may ask', () => {
  test.each([
    ['GET', dead],
    ['POST', `${dead}/retry`],
    ['GET', lag],
    ['POST', previewPath],
  ])(
    '%s %s: an account with its key, of streams of its own, by that method',
    async (method, path) => {
      const other = await signUp(scene.world.auth.url)
      const body = method === 'POST' ? { consentLevels: [1] } : undefined
      const without = await ask(method, path, { body, key: '' })
      expect([without.status, without.body['code']]).toEqual([401, 'invalid_api_key'])
      expect(without.headers.get('www-authenticate')).toContain('Bearer')
      const unknown = await ask(method, path, { body, key: 'weir_unknown' })
      expect(unknown.status).toBe(401)
      const token = await ask(method, path, { body, key: await scene.tokenOf(derived) })
      expect(token.status).toBe(401)
      const foreign = await ask(method, path, { body, key: other.apiKey })
      expect([foreign.status, foreign.body['code']]).toEqual([404, 'not_found'])
      const wrong = await ask(method === 'GET' ? 'DELETE' : 'PUT', path)
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([
        405,
        method === 'GET' ? 'GET, HEAD' : 'POST',
      ])
    },
  )

  test('what is not there is 404, as a problem document', async () => {
    const nowhere = await ask('GET', '/v2/streams/in/outputs/nobody/dead')
    expect([nowhere.status, nowhere.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ])
    expect((await ask('GET', '/v2/nothing')).status).toBe(404)
    expect((await ask('GET', '/v2/streams/%/outputs/x/dead')).status).toBe(400)
  })
})

describe('dead records', () => {
  test('are none at first', async () => {
    await scene.untilDerived(input, 'out')
    expect((await ask('GET', dead)).body).toEqual({ dead: [], total: 0, limit: 1_000 })
    const retried = await ask('POST', `${dead}/retry`)
    expect(retried.body).toEqual({
      retried: 0,
      passed: 0,
      filtered: 0,
      failedAgain: 0,
      more: false,
    })
    expect((await ask('GET', lag)).body).toMatchObject({ lag: 0, dead: 0 })
  })

  test('are listed, counted, and derived once when what was wrong is mended, however often it is asked', async () => {
    // Given records of a contract that doesn't exist yet, and a record of a contract that will never exist
    const records = await scene.topics.read(input.topic)
    const later = freshName('later')
    const filteredOne = records.length - 1
    await writeForeign([
      ...records.map((record) => namedAs(record, later)),
      ...records.slice(0, 1).map((record) => namedAs(record, 'never')),
    ])
    await scene.untilDerived(input, 'out')
    const listed = await ask('GET', dead)
    expect(listed.body).toMatchObject({ total: records.length + 1, limit: 1_000 })
    const entries = listIn(listed.body, 'dead')
    expect(entries).toHaveLength(records.length + 1)
    expect(entries[0]).toEqual({
      source: expect.stringMatching(new RegExp(`^${input.topic}/\\d+/\\d+$`)),
      error: 'unknown_contract',
      schemaId: expect.stringMatching(/^(later-|never)/),
      at: expect.stringMatching(/^20\d\d-.*Z$/),
      partition: expect.any(Number),
      offset: expect.any(Number),
    })
    expect(listed.text).not.toMatch(/anna|bert|cleo|dora/)

    // When the contract is created, two replicas get a retry request at the same time, and one replica gets another
    // request later
    const before = sourcesOf(await scene.topics.read(derived.topic))
    const { body: demo } = await scene.account.call('GET', '/v2/contracts/demo_v1')
    const { schema_registry_id: _, ...schema } = asObject(demo['schema'])
    const contract = { ...(await exampleContract('demo_v1')), schema, id: later }
    expectStatus(await scene.account.call('POST', '/v2/contracts', contract), 201)
    const replica = await scene.world.replica('output')
    const replicas = [scene.world.output.url, replica.url]
    const both = await Promise.all(replicas.map((at) => ask('POST', `${dead}/retry`, { at })))
    await replica.stop()
    const again = await ask('POST', `${dead}/retry`)

    // Then
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const sum = (name: string) => both.reduce((total, { body }) => total + Number(body[name]), 0)
    expect([sum('passed'), sum('filtered')]).toEqual([filteredOne, 1])
    expect(again.body).toMatchObject({ retried: 1, passed: 0, filtered: 0, failedAgain: 1 })
    const after = sourcesOf(await scene.topics.read(derived.topic))
    expect(after).toHaveLength(before.length + filteredOne)
    expect(new Set(after).size).toBe(after.length)
    expect((await ask('GET', dead)).body).toMatchObject({
      total: 1,
      dead: [{ error: 'unknown_contract', schemaId: 'never' }],
    })
    expect((await ask('GET', lag)).body).toMatchObject({ lag: 0, dead: 1 })

    // and live events continue to be derived, each once
    await send('emil', [0, 1, 2])
    await scene.untilDerived(input, 'out')
    const all = sourcesOf(await scene.topics.read(derived.topic))
    expect(all).toHaveLength(after.length + 1)
    expect(new Set(all).size).toBe(all.length)
  })

  test('of a disabled stream are kept, and not retried', async () => {
    await scene.account.call('PATCH', '/v2/streams/in/outputs/out', { enabled: false })
    const isDisabled = async () => {
      const { body } = await ask('POST', `${dead}/retry`)
      return body['code'] === 'stream_disabled'
    }
    await pollUntil(isDisabled, { deadlineMs: 60_000, what: 'the refusal' })
    expect((await ask('GET', dead)).body).toMatchObject({ total: 1 })
    await scene.account.call('PATCH', '/v2/streams/in/outputs/out', { enabled: true })
  })

  test('of a stream that another deployment derives are listed here, and retried there', async () => {
    const elsewhere = { name: 'away', consentLevels: [1], consentLevelType: 'CUMULATIVE' }
    const more = { ...elsewhere, decrypterName: freshName('elsewhere') }
    await scene.account.output('in', 'away', more)
    const path = '/v2/streams/in/outputs/away/dead'
    expect((await ask('GET', path)).body).toMatchObject({ total: 0 })
    const { status, body } = await ask('POST', `${path}/retry`)
    expect([status, body['code']]).toEqual([409, 'derived_elsewhere'])
  })
})

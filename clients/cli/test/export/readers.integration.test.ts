// `weir export` of an output with `decryptAt: reader`: encrypted, decrypted, and after an erasure. Also `weir export`
// of other streams.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDecrypter } from '@weir/client'
import { pollUntil } from '@weir/kit'
import { asObject, connectProducer, exampleEvent } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { startAnalystsWorld } from '../../../node/test/reading/analysts.ts'
import type { AnalystsWorld } from '../../../node/test/reading/analysts.ts'
import { createWeir } from '../support/weir.ts'
import type { Ended } from '../support/weir.ts'

const people = ['anna', 'bert']
const weir = createWeir({ isHere: true })
let world: AnalystsWorld
let lake: TestStream
let plain: TestStream

beforeAll(async () => {
  world = await startAnalystsWorld()
  const { account } = world
  await account.contract('demo_v1')
  const input = await account.input('in')
  lake = await account.output('in', 'lake', { consentLevels: [2], decryptAt: 'reader' })
  plain = await account.output('in', 'plain', { consentLevels: [2] })
  for (const output of [lake, plain])
    await world.untilReadable(world.optionsOf(output, output.topic))
  const token = await account.token(input)
  const producer = await connectProducer(world.ingest.url)
  const example = await exampleEvent('demo_v1')
  for (const person of people) {
    const event = {
      ...example,
      unique_identifier: { string: `u-${person}` },
      consistent_value: person,
      some_sensitive_value: { string: `s-${person}` },
      svcMeta: { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2] },
    }
    await producer.send(event, { token, schemaId: 'demo_v1' })
  }
  producer.close()
  for (const output of [lake, plain])
    await pollUntil(async () => eventsIn(await exported(output, '-o jsonl -')).length === 2, {
      deadlineMs: 60_000,
      everyMs: 200,
    })
}, 300_000)

afterAll(() => world?.stop())

const envOf = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  WEIR_AUTH_URL: world.auth.url,
  WEIR_OUTPUT_URL: world.output.url,
  WEIR_ANALYST_BROKERS: world.brokers,
  WEIR_BILLING_ID: world.account.billingId,
  ...more,
})

const exported = ({ topic, clientId, clientSecret }: TestStream, rest: string): Promise<Ended> =>
  weir.run(`export ${topic.split('.').at(-1)} ${rest}`, {
    env: envOf({ WEIR_CLIENT_ID: clientId, WEIR_CLIENT_SECRET: clientSecret }),
  })

const eventsIn = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => asObject(JSON.parse(line)))

const personOf = (event: Record<string, unknown>): unknown => event['consistent_value']
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Decrypts rows as docs/export.md shows. */
function decryptLater(rows: readonly Record<string, unknown>[]): Promise<unknown[]> {
  const { clientId, clientSecret } = lake
  const options = { authUrl: world.auth.url, outputUrl: world.output.url }
  const { billingId } = world.account
  return createDecrypter({ ...options, billingId, clientId, clientSecret }).decrypt(
    rows.map((event) => ({
      headers: {
        'svc-key-link': Buffer.from(String(event['svc_key_link']).replaceAll('-', ''), 'hex'),
        'svc-time': String(asObject(event['svcMeta'])['timestamp']),
      },
      event,
    })),
  )
}

let kept: Record<string, unknown>[]

test('without --decrypt all personal fields are encrypted, and the file can be decrypted later', async () => {
  const ended = await exported(lake, '-o jsonl -')
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('add --decrypt') })
  kept = eventsIn(ended)
  for (const event of kept) {
    expect(event['svc_key_link']).toMatch(uuid)
    expect(personOf(event)).toMatch(/^A/)
  }
  expect((await decryptLater(kept)).map((event) => personOf(asObject(event))).toSorted()).toEqual(
    people,
  )
})

test('with --decrypt the values are decrypted, and what is not is counted', async () => {
  const ended = await exported(lake, '--decrypt -o jsonl -')
  expect(ended.stderr).toBe(
    '2 events of lake written to standard output.\n' +
      'Still encrypted: 2 values, no_key: the output may not see the level, or the person has withdrawn it.\n',
  )
  for (const event of eventsIn(ended)) {
    expect(people).toContain(personOf(event))
    expect(event['unique_identifier']).toBe(`u-${String(personOf(event))}`)
    expect(event['some_sensitive_value']).toMatch(/^A/)
    expect(event['svc_key_link']).toMatch(uuid)
  }
})

test('CSV and Parquet files have the column, too', async () => {
  const { stdout } = await exported(lake, '--decrypt -o csv -')
  const [header = '', ...rows] = stdout.trimEnd().split('\r\n')
  expect(header.split(',').at(-1)).toBe('svc_key_link')
  for (const row of rows) expect(row.split(',').at(-1)).toMatch(uuid)
  expect(people.every((person) => stdout.includes(`u-${person}`))).toBe(true)
  const parquet = await exported(lake, '--decrypt -o parquet -')
  expect(parquet).toMatchObject({ code: 0, stdout: expect.stringContaining('svc_key_link') })
})

test('an API key alone is enough', async () => {
  const ended = await weir.run('export lake --decrypt -o jsonl -', {
    env: envOf({ WEIR_API_KEY: world.account.apiKey }),
  })
  expect(eventsIn(ended).map(personOf).toSorted()).toEqual(people)
})

test('an output that Weir decrypts has no such column, and --decrypt says that it had nothing to do', async () => {
  const ended = await exported(plain, '--decrypt -o jsonl -')
  expect(ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Weir decrypts plain itself'),
  })
  const events = eventsIn(ended)
  expect(events.map(personOf).toSorted()).toEqual(people)
  for (const event of events) expect(event).not.toHaveProperty('svc_key_link')
})

test('an input stream can not be decrypted, and its export has no such column', async () => {
  const env = envOf({ WEIR_API_KEY: world.account.apiKey })
  expect(await weir.run('export in --decrypt -o jsonl -', { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('in is an input stream: nobody can decrypt its events'),
  })
  const [event] = eventsIn(await weir.run('export in -o jsonl -', { env }))
  expect(event).not.toHaveProperty('svc_key_link')
})

test('who is erased stays encrypted, in a new export and in an old one', async () => {
  await world.account.call('POST', '/v2/streams/in/erasures', { keyFieldValue: 'anna' })
  const isErased = async (): Promise<boolean> => {
    const { stdout, stderr } = await exported(lake, '--decrypt -o jsonl -')
    return stderr.includes('erased: the person is erased') && !stdout.includes('u-anna')
  }
  await pollUntil(isErased, { deadlineMs: 60_000, everyMs: 200 })
  const later = (await decryptLater(kept)).map((event) => asObject(event))
  expect(later.map(({ unique_identifier: value }) => String(value))).toEqual(
    expect.arrayContaining(['u-bert', expect.stringMatching(/^A/)]),
  )
})

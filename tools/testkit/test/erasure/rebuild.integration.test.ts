// An output is rebuilt while events arrive and replicas of the service die. Afterwards its old content is gone: the
// output contains each event of its input once, decrypted as currently permitted.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import type { SourceRecord } from '@weir/kafka'

import {
  asObject,
  signUp,
  exampleEvent,
  expectStatus,
  listIn,
  reachedAt,
  textIn,
} from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const schemaId = 'demo_v1'
const deadlineMs = 60_000
const contract = await compiledExample(schemaId)

let own: OwnNames
let world: World
let account: Account
beforeAll(async () => {
  own = await openOwnNames('rebuild')
  world = await own.startWorld()
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
})
afterAll(() => own?.close())

async function sender(stream: TestStream) {
  const example = await exampleEvent(schemaId)
  const producer = await connectProducer(world.ingest.url)
  const token = await account.token(stream)
  let nth = 0
  return async (person: string, count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) {
      const event = {
        ...example,
        svcMeta: { consentLevels: [1, 2, 3] },
        consistent_value: person,
        not_sensitive_value: { string: `${person} ${(nth += 1)}` },
      }
      expect((await producer.send(event, { token, schemaId })).status).toBe(204)
    }
  }
}

type Seen = { readonly mark: string; readonly isSealed: boolean; readonly person: unknown }

function seenIn(record: SourceRecord): Seen {
  const plain = plainEvent(contract, record)
  return {
    mark: String(plain['not_sensitive_value']),
    isSealed: record.headers['svc-undecryptable'] !== undefined,
    person: plain['consistent_value'],
  }
}

const readAll = async (output: TestStream, count: number): Promise<Seen[]> =>
  (await own.reader.readUntil(output.topic, count)).map(seenIn)

const marksOf = (all: readonly Seen[]): string[] => all.map(({ mark }) => mark).toSorted()

const pathOf = (stream: TestStream, output: TestStream) =>
  `/v2/streams/${stream.name}/outputs/${output.name}`

async function rebuild(
  stream: TestStream,
  output: TestStream,
  body?: object,
): Promise<Record<string, unknown>> {
  const path = pathOf(stream, output)
  const asked = expectStatus(await account.call('POST', `${path}/rebuild`, body), 202).body
  const { number } = asObject(asked['rebuild'])
  return pollUntil(
    async () => {
      const { body: now } = expectStatus(await account.call('GET', path), 200)
      const shown = asObject(now['rebuild'])
      const isDone = shown['doneAt'] !== undefined || Number(shown['number']) > Number(number)
      return isDone ? shown : undefined
    },
    { deadlineMs, what: 'a rebuild' },
  )
}

test('after an erasure, what was decrypted is gone from it, each event is there once, and the erasure says since when', async () => {
  const stream = await account.input('first')
  const output = await account.output('first', 'first-3', { consentLevels: [3] })
  const send = await sender(stream)
  await send('ada', 10)
  await send('bob', 10)
  expect((await readAll(output, 20)).filter(({ isSealed }) => isSealed)).toEqual([])
  const erasures = '/v2/streams/first/erasures'
  const { id } = expectStatus(
    await account.call('POST', erasures, { keyFieldValue: 'ada' }),
    201,
  ).body
  const shown = async () => (await account.call('GET', `${erasures}/${String(id)}`)).body
  const isApplied = async () => reachedAt(await shown(), 'applied') !== undefined
  await pollUntil(isApplied, { deadlineMs, what: 'an erasure that is applied' })
  const weekLater = Date.parse(textIn(asObject(listIn(await shown(), 'outputs')[0]), 'clearAt'))
  expect(weekLater).toBeGreaterThan(Date.now() + 6 * 86_400_000)

  const [{ doneAt }] = await Promise.all([rebuild(stream, output), send('bob', 10)])

  const all = await readAll(output, 30)
  expect(new Set(marksOf(all)).size).toBe(30)
  for (const { mark, isSealed, person } of all)
    expect([mark, isSealed, person === mark.split(' ')[0]]).toEqual([
      mark,
      mark.startsWith('ada'),
      mark.startsWith('bob'),
    ])
  expect(listIn(await shown(), 'outputs')).toEqual([
    { name: 'first-3', levels: [1, 2, 3], foundLevels: [1, 2, 3], events: 10, clearAt: doneAt },
  ])
})

test('each event is there once after rebuilds while events come and replicas of output are killed', async () => {
  const stream = await account.input('busy')
  const output = await account.output('busy', 'busy-3', { consentLevels: [3] })
  const send = await sender(stream)
  await send('ada', 30)
  await readAll(output, 30)
  for (let round = 0; round < 3; round += 1) {
    const doomed = await world.replica('output')
    await Promise.all([
      rebuild(stream, output),
      rebuild(stream, output),
      send('bob', 30),
      doomed.kill(),
    ])
  }
  const all = await readAll(output, 120)
  expect(new Set(marksOf(all)).size).toBe(120)
})

test('it is refused where the input has less than the output was derived from, unless that is accepted', async () => {
  const stream = await account.input('short', { partitions: 1 })
  const output = await account.output('short', 'short-3', { consentLevels: [3] })
  const send = await sender(stream)
  await send('ada', 5)
  await readAll(output, 5)
  await own.reader.admin.offsets.deleteBefore(stream.topic, [2n])
  const path = `${pathOf(stream, output)}/rebuild`
  const refused = await account.call('POST', path, {})
  expect(refused).toMatchObject({ status: 409, body: { code: 'would_lose_events' } })
  expect(await readAll(output, 5)).toHaveLength(5)
  await rebuild(stream, output, { acceptLoss: true })
  expect(marksOf(await readAll(output, 3))).toEqual(['ada 3', 'ada 4', 'ada 5'])
})

// Events that are designed to be costly. The cost of matching an event's values is bounded before matching starts, and
// events near the bound don't delay other requests.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signUp, madeEvent, newContract, measured, scale } from '@weir/testkit'
import { cpuMs } from '../support/cpu.ts'
import {
  bearer,
  expectAccepted,
  expectRefusal,
  goodRequest,
  schema,
  startSceneApart,
} from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

let scene: ApartScene
let attacker: string

const text = { name: 'text', type: 'string', default: '' }
const list = { name: 'list', type: { type: 'array', items: 'string' }, default: [] }
const six = [800, 801, 802, 803, 804, 805]

beforeAll(async () => {
  scene = await startSceneApart()
  const account = await signUp(scene.world.auth.url)
  const on = (field: string, values: readonly string[]) => values.map((value) => ({ field, value }))
  await newContract(account, {
    id: 'six',
    fields: six.map((_, at) => ({ ...text, name: `text${at}` })),
    validations: six.map((times, at) => ({ field: `text${at}`, value: `a[ab]{${times}}[cd]` })),
  })
  await newContract(account, {
    id: 'hundred',
    fields: [text, list],
    validations: [
      ...on(
        'text',
        Array.from({ length: 50 }, (_, at) => `^.+${at % 10}?$`),
      ),
      ...on(
        'list',
        Array.from({ length: 50 }, (_, at) => `^.*${at % 10}?$`),
      ),
    ],
  })
  await newContract(account, {
    id: 'costly',
    fields: [text],
    validations: on('text', ['a[ab]{150}[cd]|(?:c+)+d']),
  })
  attacker = await account.token(await account.input('in'))
}, 120_000)
afterAll(() => scene?.stop())

const sendAs = (id: string, parts: object) =>
  scene.clients['HTTP/2'].send({ headers: [bearer(attacker), schema(id)], body: madeEvent(parts) })

const tooLong = (field: string): string =>
  `Field '${field}' is too long for the patterns of its validations: matching them could take more than 2000000 steps; ` +
  'send a shorter value, or publish a contract with fewer or simpler patterns'

test.each([
  ['six large patterns and 61 kB', 'six', { text5: 'ab'.repeat(30_500) }, 'text5'],
  ['a hundred patterns and 1 MiB', 'hundred', { text: 'a'.repeat(1_040_000) }, 'text'],
  [
    'lists of a thousand values',
    'hundred',
    { text: 'a', list: Array.from({ length: 1_000 }, () => 'a'.repeat(1_000)) },
    'list',
  ],
])('%s: refused with the field, for less than 20 ms an event', async (_, id, parts, field) => {
  const given = id === 'six' ? Object.fromEntries(six.map((_times, at) => [`text${at}`, ''])) : {}
  const costs: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const beforeMs = cpuMs(scene.world.ingest.pid)
    const answer = await sendAs(id, { ...given, ...parts })
    costs.push(cpuMs(scene.world.ingest.pid) - beforeMs)
    expectRefusal(answer, 400, 'validation_failed', tooLong(field))
  }
  // the first request also compiles the contract, and parsing 1 MiB of JSON takes time
  expect(Math.min(...costs)).toBeLessThanOrEqual(measured(20))
})

test('while 500 of the costliest events that are taken come in one request, others are answered', async () => {
  const event = madeEvent({ text: 'ab'.repeat(550) })
  const beforeMs = cpuMs(scene.world.ingest.pid)
  let isOver = false
  const batch = scene.clients['HTTP/2']
    .send({
      path: '/events',
      headers: [bearer(attacker), schema('costly'), ['content-type', 'application/x-ndjson']],
      body: Array.from({ length: 500 }, () => event).join('\n'),
    })
    .finally(() => (isOver = true))
  let answered = 0
  while (!isOver) {
    expectAccepted(await scene.clients['HTTP/1.1'].send(await goodRequest(scene.token)))
    answered += 1
  }
  const { status, body } = await batch
  expect(status).toBe(200)
  expect(body.match(/doesnt match/g)).toHaveLength(500)
  // Without pauses in the work, at most one response would precede that of the batch. With pauses, a quiet machine
  // sends more than one for each 100 ms of work.
  const workMs = cpuMs(scene.world.ingest.pid) - beforeMs
  expect(answered).toBeGreaterThan(scale(workMs / 100, 2))
})

// Contracts that name a data subject: the link of each first event is durable before its 204, also when that takes
// another replica, and without `weir.subjects` there is 503. A broker of its own, whose topic goes.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { makeContract, madeEvent } from '../support/contracts.ts'
import { connect } from '../support/clients.ts'
import type { Answer, Client } from '../support/clients.ts'
import { startOwnScene } from '../support/own-broker.ts'
import type { OwnScene } from '../support/own-broker.ts'
import { expectAccepted, expectRefusal, goodRequest } from '../support/scene.ts'

const topic = 'weir.subjects'

let scene: OwnScene
beforeAll(async () => {
  scene = await startOwnScene({ env: { PRODUCE_TIMEOUT_MS: '2500' } })
  await makeContract(scene.account, {
    id: 'owned',
    fields: [{ name: 'owner', type: ['null', 'string'], default: null }],
    piiFields: { key: 0, owner: 1 },
    dataSubjectField: 'owner',
  })
}, 120_000)
afterAll(() => scene?.stop())

function send(owner: string | null, device: string, client?: Client): Promise<Answer> {
  const body = madeEvent({ owner: owner === null ? null : { string: owner }, key: device })
  return (client ?? scene.clients['HTTP/2']).send({
    headers: [
      ['authorization', `Bearer ${scene.token}`],
      ['svc-schema-id', 'owned'],
      ['content-type', 'application/json'],
    ],
    body,
  })
}

const keysKept = async (): Promise<string[]> =>
  (await scene.reader.read(topic)).map(({ key }) => String(key))

test('the links of a data subject are kept once, whatever comes after, and nobody’s are none', async () => {
  for (const device of ['phone', 'phone', 'tablet']) expectAccepted(await send('anna', device))
  expectAccepted(await send('ben', 'laptop'))
  expectAccepted(await send(null, 'nobody’s'))
  const kept = await keysKept()
  expect(kept).toHaveLength(3)
  for (const name of ['anna', 'ben', 'phone', 'tablet']) expect(kept.join()).not.toContain(name)
})

test('another replica keeps the same links under the same keys', async () => {
  const before = await keysKept()
  const other = await scene.world.replica('ingest')
  const client = await connect['HTTP/2'](other.url)
  expectAccepted(await send('anna', 'phone', client))
  client.close()
  const after = await keysKept()
  expect([after.length, new Set(after)]).toEqual([before.length + 1, new Set(before)])
})

test('while links cannot be kept their events get 503, and others are taken', async () => {
  await scene.reader.admin.topics.delete(topic)
  expectRefusal(await send('carl', 'watch'), 503, 'unavailable')
  expectAccepted(await send('anna', 'phone'))
  expectAccepted(await scene.clients['HTTP/2'].send(await goodRequest(scene.token)))
  await scene.reader.admin.topics.create({ topic, partitions: 12 })
  await pollUntil(async () => (await send('carl', 'watch')).status === 204, {
    deadlineMs: 30_000,
    what: 'keeping links again',
  })
  expect((await keysKept()).length).toBeGreaterThanOrEqual(1)
  const stored = await scene.reader.read(scene.input.topic)
  expect(stored.length).toBeGreaterThanOrEqual(8)
})

// Streams, credentials and contracts may be used right after their 201, at every replica, without waiting and without a
// retry (docs/wire-format.md Tokens).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { expectStatus, madeEvent, newContract, textIn } from '@weir/testkit'
import { connect } from '../support/clients.ts'
import type { Client } from '../support/clients.ts'
import { bearer, expectAccepted, goodRequest, schema, startScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
let replica: Service
let replicas: Client[]
beforeAll(async () => {
  scene = await startScene()
  replica = await scene.world.replica('ingest')
  replicas = await Promise.all(
    [scene.world.ingest, replica].map(({ url }) => connect['HTTP/2'](url)),
  )
})
afterAll(async () => {
  for (const client of replicas ?? []) client.close()
  await scene?.stop()
})

test('a stream takes events as soon as it is made, twenty times in a row', async () => {
  for (let index = 0; index < 20; index += 1) {
    const token = await scene.account.token(await scene.account.input(`new-${index}`))
    const request = await goodRequest(token)
    const answers = await Promise.all(replicas.map((client) => client.send(request)))
    expect(answers.map(({ status }) => [index, status])).toEqual([
      [index, 204],
      [index, 204],
    ])
  }
})

test('a contract may be used as soon as it is made, also when its levels are new', async () => {
  for (let index = 0; index < 20; index += 1) {
    const id = `new/contract/1.0.${index}`
    const fields = [{ name: 'secret', type: 'string' }]
    const piiFields = { secret: 10 + index }
    await newContract(scene.account, { id, fields, piiFields })
    const headers = [bearer(scene.token), schema(id)]
    const body = madeEvent({ secret: 's' })
    const answers = await Promise.all(replicas.map((client) => client.send({ headers, body })))
    expect(answers.map(({ status, body: said }) => [id, status, said])).toEqual([
      [id, 204, ''],
      [id, 204, ''],
    ])
  }
})

test('credentials may be used as soon as they are made', async () => {
  for (let index = 0; index < 10; index += 1) {
    const path = '/v2/streams/in/credentials'
    const { body } = expectStatus(await scene.account.call('POST', path, {}), 201)
    const token = await scene.account.token({
      clientId: textIn(body, 'clientId'),
      clientSecret: textIn(body, 'clientSecret'),
    })
    const request = await goodRequest(token)
    for (const client of replicas) expectAccepted(await client.send(request))
  }
})

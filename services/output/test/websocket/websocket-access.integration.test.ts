// A WebSocket ends when its client loses the right to the stream. New streams and credentials may be used immediately.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { asObject, expectStatus, freshName, listen, textIn } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { WebSocket } from 'ws'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
let input: TestStream
let path: string

beforeAll(async () => {
  scene = await openScene()
})

beforeEach(async () => {
  input = await scene.account.input(freshName('in'))
  path = `/v2/streams/${input.name}`
})

afterAll(() => scene.close(), 30_000)

const change = async (method: string, where: string, body?: unknown) =>
  expectStatus(await scene.account.call(method, where, body), method === 'POST' ? 201 : 200).body

const connectAgain = async (): Promise<unknown> =>
  listen(scene.world.output.url, await scene.tokenOf(input)).then(
    ({ socket }) => socket.terminate(),
    (error: unknown) => (error instanceof Error ? error.message : error),
  )

test('revoking credentials closes their sockets with 4401, and no others', async () => {
  const credentials = asObject(await change('POST', `${path}/credentials`))
  const second = {
    ...input,
    clientId: textIn(credentials, 'clientId'),
    clientSecret: textIn(credentials, 'clientSecret'),
  }
  const [revoked, kept] = [await scene.watch(input), await scene.watch(second)]
  await change('DELETE', `${path}/credentials/${input.clientId}`)
  expect(await revoked.closed).toEqual({ code: 4401, reason: 'token expired or revoked' })
  expect(await connectAgain()).toBe('refused with status 401')
  expect(kept.socket.readyState).toBe(WebSocket.OPEN)
})

test('disabling a stream closes its sockets with 4403 and refuses new ones with 403, until it is enabled', async () => {
  const socket = await scene.watch(input)
  await change('PATCH', path, { enabled: false })
  expect(await socket.closed).toEqual({ code: 4403, reason: 'stream disabled' })
  expect(await connectAgain()).toBe('refused with status 403')
  await change('PATCH', path, { enabled: true })
  await scene.watch(input)
})

test('deleting a stream and its outputs closes their sockets with 4410 and refuses new ones with 401', async () => {
  const output = await scene.output(input.name, freshName('out'), { consentLevels: [0] })
  const sockets = [await scene.watch(input), await scene.watch(output)]
  await change('DELETE', `${path}?recursive=true`)
  for (const { closed } of sockets)
    expect(await closed).toEqual({ code: 4410, reason: 'stream gone' })
  expect(await connectAgain()).toBe('refused with status 401')
})

test('a stream can be watched right after its 201, by its own token alone', async () => {
  const output = await scene.output(input.name, freshName('out'), { consentLevels: [0] })
  const { socket } = await scene.watch(output)
  expect(socket.readyState).toBe(WebSocket.OPEN)
})

test('a browser connects with its token as a subprotocol', async () => {
  const url = `${scene.world.output.url.replace('http', 'ws')}/ws`
  const socket = new WebSocket(url, ['weir', `bearer.${await scene.tokenOf(input)}`])
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  expect(socket.protocol).toBe('weir')
  socket.terminate()
})

test('plain HTTP gets 404: there is nothing but the WebSocket', async () => {
  const answer = await fetch(`${scene.world.output.url}/ws`)
  expect([answer.status, answer.headers.get('svc-error')]).toEqual([404, 'not_found'])
})

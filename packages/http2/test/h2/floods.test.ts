// Each flood ends its connection with ENHANCE_YOUR_CALM, and other clients are not affected.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  codes,
  connectByHand,
  frameTypes,
  post,
  reset,
  streamIds,
  times,
  windowUpdate,
} from '../../conformance/frames.ts'
import { startAttacked, undisturbed } from './attacked.ts'
import type { Attacked } from './attacked.ts'
import { floods } from '../../conformance/floods.ts'

let server: Attacked
beforeAll(async () => {
  server = await startAttacked()
})
afterAll(() => server.stop())

test.each(floods)('a flood: %s', async (_name, first, flood) => {
  const code = await undisturbed(server, async () => {
    const attacker = connectByHand(server.port, first)
    attacker.send(flood())
    const received = await attacker.goneAway()
    attacker.socket.destroy()
    return received
  })
  expect(code).toBe(codes.enhanceYourCalm)
})

test('a hundred requests that are cancelled at once are no flood, again and again', async () => {
  const client = connectByHand(server.port)
  let next = 1
  for (let round = 0; round < 3; round++) {
    const ids = streamIds(100).map((id) => next + id - 1)
    next += 200
    client.send(...ids.map((id) => post(id, '/hold')), ...ids.map((id) => reset(id)))
  }
  client.send(post(next, '/'))
  expect((await client.answered(next)).payload[0]).toBe(0x89) // 204
  client.socket.destroy()
})

test('a busy client that gives window with every frame goes on as long as it likes', async () => {
  const client = connectByHand(server.port)
  for (let round = 0; round < 60; round++) {
    const ids = streamIds(50).map((id) => 100 * round + id)
    client.send(
      ...ids.map((id) => post(id, '/')),
      times(500, () => windowUpdate(0, 1)),
    )
    await client.answered(100 * round + 99)
  }
  expect(client.frames.some(({ type }) => type === frameTypes.goAway)).toBe(false)
  client.socket.destroy()
})

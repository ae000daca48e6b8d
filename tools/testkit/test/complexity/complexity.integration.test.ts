// The cost of a request in auth, ingest and output grows about linearly: at 8 times the size, the CPU time of the
// service's process is at most 20 times as much. `npm test` tries an eighth of the cases. complexity/parsers.test.ts
// tests the parsers alone.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signUp, expectStatus, request, scale, setting, startWorld } from '../../src/index.ts'
import type { World } from '../../src/index.ts'
import { routeGrowth } from '../../src/complexity/route-growth.ts'
import { routeCases } from './routes.ts'
import type { Scene } from './routes.ts'

let world: World
let scene: Scene

beforeAll(async () => {
  world = await startWorld()
  const account = await signUp(world.auth.url)
  const quotas = `/v2/platform/accounts/${account.billingId}/quotas`
  // otherwise the rate limit would refuse requests, at no cost
  const asked = { requestsPerMinute: 1_000_000 }
  expectStatus(await request(world.auth.url, setting('PLATFORM_KEY'), 'PUT', quotas, asked), 200)
  await account.contract('clickstream')
  const stream = await account.input('in')
  scene = { apiKey: account.apiKey, token: await account.token(stream), stream: stream.name }
})
afterAll(() => world.stop())

test.each(routeCases.filter((_, at) => scale(true, at % 8 === 0)))(
  'at $at the time for $name grows no faster than it',
  async (routeCase) => {
    expect(await routeGrowth(routeCase, scene, world[routeCase.at])).toBe('linear')
  },
  // Repeated measurements take longer each time.
  300_000,
)

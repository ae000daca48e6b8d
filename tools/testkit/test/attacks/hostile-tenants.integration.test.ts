// Whatever one account does within its limits, no other account loses an event or a response. `npm run attacks`
// measures the delay.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { scale, startWorld } from '../../src/index.ts'
import type { World } from '../../src/index.ts'
import { besideOf } from './beside.ts'
import { attacks } from './hostile-tenants.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.stop())

const played = attacks.filter(({ isLong }) => scale(true, isLong !== true))

test.each(played)('$name', async (attack) => {
  const spans = { beforeMs: scale(8_000, 300), attackMs: scale(15_000, 1_000) }
  const { before, meanwhile, answers } = await besideOf(world, attack, spans)
  expect([...before.failures, ...meanwhile.failures]).toEqual([])
  expect(answers.get('none')).toBeUndefined()
  expect(answers.size).toBeGreaterThan(0)
})

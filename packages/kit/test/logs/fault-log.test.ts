import { expect, test } from '@jest/globals'
import { createAllowance, createFaultLog, createLog, requestIdOf } from '../../src/index.ts'

test('the next second has an allowance of its own', () => {
  let nowMs = 0
  const { take } = createAllowance(2, () => nowMs)
  expect([take(), take(), take()]).toEqual([true, true, false])
  nowMs = 999
  expect(take()).toBe(false)
  nowMs = 1_000
  expect([take(), take(), take()]).toEqual([true, true, false])
})

test('a fault is told with its id, an internal one as an error, and those beyond some a second are counted', () => {
  const lines: string[] = []
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
  let nowMs = 0
  const tell = createFaultLog(
    log,
    createAllowance(2, () => nowMs),
  )
  const fault = { requestId: 'r', status: 503, route: '/event', err: new Error('x') }
  tell({ ...fault, code: 'unavailable' })
  tell({ ...fault, code: 'internal' })
  for (let number = 0; number < 5; number += 1) tell({ ...fault, code: 'unavailable' })
  nowMs = 1_000
  tell({ ...fault, code: 'unavailable' })
  const told: unknown[] = lines.map((line) => JSON.parse(line))
  expect(told).toEqual([
    expect.objectContaining({ level: 'warn', requestId: 'r', code: 'unavailable', status: 503 }),
    expect.objectContaining({ level: 'error', code: 'internal' }),
    expect.objectContaining({ level: 'warn', untold: 5 }),
  ])
})

test('a request is called by its trace, and by a new id where it has none', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  expect(requestIdOf(`00-${traceId}-b7ad6b7169203331-00`)).toBe(traceId)
  const made = [requestIdOf(undefined), requestIdOf('Anna Example')]
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(made[0]).not.toBe(made[1])
})

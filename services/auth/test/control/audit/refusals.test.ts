// The audit entries of requests that changed nothing, and the limit on these entries during a flood of requests.
import { expect, test } from '@jest/globals'
import { createLog } from '@weir/kit'
import type { Actor, Audited, Change } from '@weir/control-state'
import { createRefusals } from '../../../src/control/audit/refusals.ts'

const caller = (billingId: string): Actor => ({
  kind: 'account',
  billingId,
  keyId: '0c1f5f6e9a1b',
  name: 'a key',
  requestId: 'r',
})
const refusal = (actor: Actor) => ({
  action: 'stream.create' as const,
  actor,
  target: { stream: 'clicks' },
  code: 'name_taken',
})

function refusalsOn() {
  const written: Audited[] = []
  let nowMs = 0
  const change = async (what: Change): Promise<never> => {
    if (typeof what === 'object' && 'action' in what) written.push(what)
    throw new Error('nobody waits for it')
  }
  const refusals = createRefusals({
    writer: { change },
    log: createLog('auth-test', 'silent'),
    now: () => nowMs,
  })
  return { written, refusals, passTime: (ms: number) => void (nowMs += ms) }
}

test('a flood of one caller leaves thirty entries a minute and the count of the rest, and others have theirs', async () => {
  const { written, refusals, passTime } = refusalsOn()
  for (let index = 0; index < 1_000; index++) refusals.refused(refusal(caller('flood')))
  refusals.refused(refusal(caller('other')))
  expect(written).toHaveLength(31)
  expect(written[0]).toMatchObject({ refused: 'name_taken', target: { stream: 'clicks' } })

  await refusals.tellCounts()
  expect(written.slice(31)).toMatchObject([
    { action: 'access.refused', target: { account: 'flood', count: 970 }, always: true },
  ])
  passTime(60_000)
  refusals.refused(refusal(caller('flood')))
  expect(written).toHaveLength(33)
})

test('strangers are counted, however many they are, and no count is told twice', async () => {
  const { written, refusals } = refusalsOn()
  for (let index = 0; index < 100_000; index++) refusals.denied()
  expect(written).toEqual([])
  await refusals.tellCounts()
  await refusals.tellCounts()
  expect(written).toMatchObject([
    { action: 'access.denied', actor: { kind: 'auth' }, target: { count: 100_000 } },
  ])
})

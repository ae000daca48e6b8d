// Readings are reported before the data is shown. The number of notices is bounded. After a failed report, the next
// reading is reported.
import { expect, test } from '@jest/globals'
import { createAccessTrace } from '../../src/access/accesses.ts'
import { parseNotice } from '../../src/audit/notices.ts'
import type { Notice, Reading } from '../../src/audit/notices.ts'
import { accountRecord, log } from '../support.ts'

function traced() {
  const notices: Notice[] = []
  let nowMs = Date.UTC(2026, 10, 22, 12)
  let isAway = false
  const trace = createAccessTrace({
    async send(value) {
      if (isAway) throw new Error('Kafka is away')
      notices.push(parseNotice('', value))
    },
    now: () => nowMs,
    log,
  })
  return {
    trace,
    notices,
    pass: (ms: number) => void (nowMs += ms),
    away: (is: boolean) => void (isAway = is),
  }
}

const reading = (stream: string, requestId = 'r'): Reading => ({
  action: 'read.preview',
  actor: { kind: 'account', billingId: 'acme', keyId: '0c1f5f6e9a1b', name: 'a key', requestId },
  target: { account: 'acme', stream },
})

test('each reading is noticed with who, what and when', async () => {
  const { trace, notices } = traced()
  await trace.read(reading('clicks'))
  await trace.read(reading('clicks', 'another request'))
  expect(notices).toMatchObject([
    { type: 'read-notice', at: '2026-11-22T12:00:00.000Z', ...reading('clicks') },
    { actor: { requestId: 'another request' } },
  ])
})

test('over the bound the same reading is counted, another one is noticed at once all the same', async () => {
  const { trace, notices, pass } = traced()
  for (let count = 0; count < 100; count++) await trace.read(reading('clicks'))
  expect(notices).toHaveLength(30)
  await trace.read(reading('orders'))
  expect(notices.at(-1)).toMatchObject({ target: { stream: 'orders' } })
  await trace.tellCounts()
  expect(notices.at(-1)).toMatchObject({ target: { stream: 'clicks', count: 70 } })
  pass(60_000)
  await trace.read(reading('clicks'))
  expect(notices).toHaveLength(33)
})

test('levels make no other reading of it, and are told together', async () => {
  const { trace, notices } = traced()
  const at = (level: number): Reading => {
    const { target, ...rest } = reading('clicks')
    return { ...rest, target: { ...target, levels: [level] } }
  }
  for (let level = 0; level < 120; level++) await trace.read(at(level))
  expect(notices).toHaveLength(30)
  await trace.tellCounts()
  const levels = Array.from({ length: 90 }, (_, index) => 30 + index)
  expect(notices.slice(30)).toMatchObject([{ target: { stream: 'clicks', levels, count: 90 } }])
})

test('refusals are told with their code, and over the bound they are counted, whatever they name', async () => {
  const { trace, notices, pass } = traced()
  for (let nth = 0; nth < 120; nth++)
    trace.refused({ ...reading(`s-${nth}`), action: 'dead.retry', refused: 'not_found' })
  expect(notices).toHaveLength(30)
  expect(notices[7]).toMatchObject({
    action: 'dead.retry',
    target: { stream: 's-7' },
    refused: 'not_found',
  })
  await trace.tellCounts()
  expect(notices.slice(30)).toMatchObject([
    { action: 'access.refused', target: { account: 'acme', count: 90 } },
  ])
  pass(60_000)
  await trace.read(reading('clicks'))
  expect(notices).toHaveLength(32)
})

test('a reading that cannot be noticed is refused, and so is the next one until it can', async () => {
  const { trace, notices, away } = traced()
  for (let count = 0; count < 30; count++) await trace.read(reading('clicks'))
  away(true)
  for (let count = 0; count < 2; count++)
    await expect(trace.read(reading('orders'))).rejects.toMatchObject({
      code: 'control-state.unavailable',
    })
  away(false)
  await trace.read(reading('orders'))
  expect(notices.at(-1)).toMatchObject({ target: { stream: 'orders' } })
})

test('tokens of credentials and uses of keys are noticed once an hour', async () => {
  const { trace, notices, pass, away } = traced()
  const account = accountRecord('acme', ['0c1f5f6e9a1b00'])
  const holders = account.apiKeys.map((apiKey) => ({ account, apiKey }))
  const useAll = (): void => holders.forEach((holder) => trace.used(holder))
  const clientId = 'f3b1c8de-0000-4000-8000-000000000000'
  const actor = { kind: 'credentials', billingId: 'acme', clientId, requestId: 'r' } as const
  const token = { ...reading('clicks'), action: 'read.token', actor } as const
  away(true)
  await expect(trace.token(token)).rejects.toMatchObject({ code: 'control-state.unavailable' })
  away(false)
  for (let count = 0; count < 3; count++) {
    useAll()
    await trace.token(token)
  }
  expect(notices.map(({ type }) => type).toSorted()).toEqual(['read-notice', 'use-notice'])
  pass(3_600_000)
  useAll()
  await trace.token(token)
  expect(notices).toHaveLength(4)
})

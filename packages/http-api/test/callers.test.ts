// A handler gets only callers that may call it.
import { expect, test } from '@jest/globals'
import type { Actor, Role } from '@weir/control-state'
import { answering, callerOf, tellingRefusals } from '../src/index.ts'
import type { Call } from '../src/index.ts'
import { refuse } from '../src/refusal.ts'
import { errors } from './tables.ts'

const keyWith = (role: Role) =>
  ({
    byApiKey: async (authorization: string | undefined) => {
      if (authorization !== 'Bearer weir_key') throw new Error('unknown')
      return { account: { billingId: 'acme' }, apiKey: { keyId: 'k1', name: 'ours', role } }
    },
  }) as unknown as Parameters<typeof callerOf>[0]

function callFrom(authorization: string) {
  const told: unknown[] = []
  const call = {
    requestId: 'r1',
    header: () => authorization,
    isFrom: (...who: unknown[]) => void told.push(who),
  }
  return { call: call as unknown as Call, told }
}

const actor = { kind: 'account', billingId: 'acme', keyId: 'k1', name: 'ours', requestId: 'r1' }

test('a key with the role, or one that covers it, is the caller, also for the logs', async () => {
  for (const role of ['developer', 'owner'] as const) {
    const { call, told } = callFrom('Bearer weir_key')
    const caller = await callerOf(keyWith(role), call, 'developer')
    expect(caller).toMatchObject({ billingId: 'acme', apiKey: { role }, actor })
    expect(told).toEqual([['acme', actor]])
  }
})

test('a key without the role is refused, and the log and the audit log know whose it was', async () => {
  const { call, told } = callFrom('Bearer weir_key')
  const calling = callerOf(keyWith('viewer'), call, 'developer')
  await expect(calling).rejects.toMatchObject({ code: 'control-state.role_missing' })
  expect(told).toEqual([['acme', actor]])
})

test('a handler is not called before its caller is known, and gets it with the call', async () => {
  const { call } = callFrom('Bearer weir_key')
  const shown = answering(
    (asked) => callerOf(keyWith('viewer'), asked, 'viewer'),
    ({ caller, requestId }) => ({ status: 200, body: [caller.billingId, requestId] }),
  )
  expect(await shown(call)).toEqual({ status: 200, body: ['acme', 'r1'] })

  let calls = 0
  const refusing = answering(
    (): Promise<never> => Promise.reject(new Error('nobody')),
    () => ({ status: 200, body: (calls += 1) }),
  )
  await expect(refusing(call)).rejects.toThrow('nobody')
  expect(calls).toBe(0)
})

test('what is refused to a known caller is told, with names from the path that can be names', async () => {
  const told: unknown[] = []
  const params: Record<string, string> = { stream: 'clicks', output: 'Jane Doe' }
  const refusing = async (error: Error, isKnown: boolean): Promise<void> => {
    const handler = (call: Call): never => {
      if (isKnown) call.isFrom('acme', actor as Actor)
      throw error
    }
    const { call } = callFrom('')
    const asked = { ...call, param: (name: string) => params[name] ?? '' }
    const watched = tellingRefusals(errors, handler, (refused) => void told.push(refused))
    await expect(watched(asked)).rejects.toBe(error)
  }
  await refusing(refuse('not_found', 'nothing'), true)
  await refusing(refuse('unavailable', 'later'), true)
  await refusing(refuse('not_found', 'nothing'), false)
  expect(told).toEqual([
    { actor, target: { account: 'acme', stream: 'clicks' }, code: 'not_found' },
  ])
})

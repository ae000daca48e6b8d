// Actions of operators: they disable streams, recreate them, and give them new credentials. Each call is repeated until
// it succeeds, because auth may be down at any moment.
import { delay, pollUntil } from '@weir/kit'

import { textIn } from '@weir/testkit'
import type { Account, Reply } from '@weir/testkit'
import { createTestOutput } from '../world/make-streams.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const DONE_WITHIN_MS = 90_000

export async function disable(theatre: Theatre, { choice, forMs }: PlannedFault): Promise<void> {
  const { path } = chosenDerived(theatre, choice)
  await insist(theatre, [200], (account) => account.call('PATCH', path, { enabled: false }))
  await delay(forMs)
  await insist(theatre, [200], (account) => account.call('PATCH', path, { enabled: true }))
}

/** Deletes a stream, and creates it again under the same name. */
export async function remake(theatre: Theatre, { choice }: PlannedFault): Promise<void> {
  const { stream, path } = chosenDerived(theatre, choice)
  const { name, input, levels } = stream
  await theatre.farewell(stream)
  theatre.streams.drop(name)
  await insist(theatre, [200, 404], (account) => account.call('DELETE', path))
  const from = Math.floor(choice * 1_000) % 2 === 0 ? 'earliest' : 'now'
  await createTestOutput(theatre, { name, input, levels, from })
}

/** Gives an input stream new credentials. Deletes the old credentials once producers use the new ones. */
export async function rotate(theatre: Theatre, { choice }: PlannedFault): Promise<void> {
  const { streams, tokens } = theatre
  const input = streams.inputs[Math.floor(choice * streams.inputs.length)]
  if (input === undefined) return
  const before = tokens.of(input.name)
  const path = `/v2/streams/${input.name}/credentials`
  const made = await insist(theatre, [201], (account) => account.call('POST', path, {}))
  const credentials = {
    clientId: textIn(made.body, 'clientId'),
    clientSecret: textIn(made.body, 'clientSecret'),
  }
  const ask = () =>
    theatre
      .account()
      .token(credentials)
      .catch(() => undefined)
  const token = await pollUntil(ask, { deadlineMs: DONE_WITHIN_MS, everyMs: 200, what: 'a token' })
  tokens.put(input.name, credentials, token)
  const old = `${path}/${before.credentials.clientId}`
  await insist(theatre, [200, 404], (account) => account.call('DELETE', old))
  tokens.bury(before.token)
}

export function chosenDerived({ streams }: Theatre, choice: number) {
  const all = streams.derived()
  const stream = all[Math.floor(choice * all.length)]
  if (stream === undefined) throw new Error('there are no derived streams')
  return { stream, path: `/v2/streams/${stream.input.name}/outputs/${stream.name}` }
}

export function insist(
  { account }: Theatre,
  statuses: readonly number[],
  call: (account: Account) => Promise<Reply>,
): Promise<Reply> {
  const attempt = async (): Promise<Reply | undefined> => {
    try {
      const reply = await call(account())
      return statuses.includes(reply.status) ? reply : undefined
    } catch {
      return undefined
    }
  }
  return pollUntil(attempt, { deadlineMs: DONE_WITHIN_MS, everyMs: 250, what: 'a call of auth' })
}

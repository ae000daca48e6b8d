// Creates the streams of a run, and records where a derived stream starts: at the earliest event, or between the ends
// of the input before and after the creation.
import { pollUntil } from '@weir/kit'

import type { Account, Reply } from '@weir/testkit'
import type { TestOutput, TestInput, OutputLevels, TortureStreams } from '../streams.ts'
import type { Topics } from './topics.ts'

export type Making = {
  readonly name: string
  readonly input: TestInput
  readonly levels: OutputLevels
  readonly from: 'earliest' | 'now'
}
type Deps = { topics: Topics; streams: TortureStreams; account(): Account }

const MADE_WITHIN_MS = 120_000
/** The minimum that auth accepts. */
const keyMaxAgeSeconds = 30

/**
 * Repeats the request until the stream exists. A name becomes free only some time after a deletion, and a failed call
 * may still be executed.
 */
export async function createTestOutput(deps: Deps, making: Making): Promise<TestOutput> {
  const { topics, streams, account } = deps
  const { name, input, levels, from } = making
  const { billingId } = account()
  const offsets = (): Promise<bigint[]> =>
    from === 'now' ? topics.ends(input.topic) : topics.admin.offsets.earliest(input.topic)
  const look = () => offsets().catch(() => undefined)
  const before = await pollUntil(look, { deadlineMs: MADE_WITHIN_MS, what: 'offsets' })
  await untilMade(deps, making)
  const after = await pollUntil(look, { deadlineMs: MADE_WITHIN_MS, what: 'offsets' })
  const stream: TestOutput = {
    name,
    topic: `${billingId}.${name}`,
    groupId: `weir.${billingId}.${name}`,
    input,
    levels,
    start: before.map((earliest, partition) => ({
      earliest,
      latest: after[partition] ?? earliest,
    })),
    gaps: [],
  }
  streams.put(stream)
  return stream
}

async function untilMade({ account }: Deps, { name, input, levels, from }: Making): Promise<void> {
  const path = `/v2/streams/${input.name}/outputs`
  const { decryptAt } = levels
  const body = {
    name,
    consentLevels: levels.levels,
    consentLevelType: levels.type,
    from,
    ...(decryptAt && { decryptAt, keyMaxAgeSeconds }),
  }
  let mayBeMade = false
  const make = async (): Promise<boolean> => {
    const reply = await call(() => account().call('POST', path, body))
    if (reply?.status === 201) return true
    if (reply?.status === 409 && mayBeMade)
      return (await call(() => account().call('GET', `${path}/${name}`)))?.status === 200
    mayBeMade ||= reply === undefined || reply.status >= 500
    return false
  }
  await pollUntil(make, { deadlineMs: MADE_WITHIN_MS, everyMs: 250, what: `making ${name}` })
}

async function call(ask: () => Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}

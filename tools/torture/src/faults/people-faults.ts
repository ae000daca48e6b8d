// Actions of privacy officers: they erase people, withdraw levels, and rebuild outputs to remove values that were
// decrypted before.
import { hasCode, pollUntil } from '@weir/kit'
import { asObject, textIn } from '@weir/testkit'

import type { Violations } from '../check/violations.ts'
import type { Forgetting } from '../people.ts'
import type { TestOutput } from '../streams.ts'
import type { PlannedFault } from './plan.ts'
import { chosenDerived, insist } from './stream-faults.ts'
import type { Theatre } from './theatre.ts'

const rebuiltWithinMs = 120_000
const appliedWithinMs = 120_000
const levels = [0, 1, 2, 3]

export const erase = (theatre: Theatre, { choice }: PlannedFault): Promise<void> =>
  forget(theatre, choice, undefined)

export const withdraw = (theatre: Theatre, { choice }: PlannedFault): Promise<void> =>
  forget(theatre, choice, levels[Math.floor(choice * 1_000) % levels.length])

async function forget(theatre: Theatre, choice: number, level: number | undefined): Promise<void> {
  const who = theatre.people.pick(choice)
  if (who === undefined) return
  const { stream, person } = who
  const forgetting: Forgetting = {
    stream,
    person,
    levels: level === undefined ? undefined : [level],
    askedMs: Date.now(),
    attempts: 0,
    acceptedMs: undefined,
    erasureId: undefined,
    appliedMs: undefined,
  }
  theatre.people.add(forgetting)
  const body = {
    keyFieldValue: person,
    evenIfNoneFound: true,
    ...(level === undefined ? {} : { levels: [level] }),
  }
  const { body: made } = await insist(theatre, [201], (account) => {
    forgetting.attempts += 1
    return account.call('POST', `/v2/streams/${stream}/erasures`, body)
  })
  forgetting.acceptedMs = Date.now()
  forgetting.erasureId = textIn(made, 'id')
}

type Learning = Pick<Theatre, 'people' | 'account' | 'clockShiftMs'> & {
  readonly violations: Pick<Violations, 'add'>
}

/** Waits until each accepted erasure and withdrawal is applied, and sets `appliedMs` to the time from auth. */
export async function learnApplied(deps: Learning): Promise<void> {
  for (const forgetting of deps.people.all()) {
    const { erasureId } = forgetting
    if (erasureId === undefined) continue
    await pollUntil(() => isLearned(deps, forgetting, erasureId), {
      deadlineMs: appliedWithinMs,
      everyMs: 500,
    }).catch((error: unknown) => {
      if (!hasCode(error, 'kit.timeout')) throw error
      deps.violations.add('no-progress', `erasure ${erasureId}`, 'is not applied')
    })
  }
}

async function isLearned(
  { account, clockShiftMs, violations }: Learning,
  forgetting: Forgetting,
  erasureId: string,
): Promise<boolean> {
  const path = `/v2/streams/${forgetting.stream}/erasures/${erasureId}`
  const { status, body } = await account().call('GET', path)
  if (status === 404) {
    violations.add('erasure-lost', `erasure ${erasureId}`, 'was accepted, and is gone')
    return true
  }
  const states = asObject(body['states'])
  // The KEKs of a run always exist.
  if ('at' in asObject(states['destroyed']))
    violations.add('destroyed-early', `erasure ${erasureId}`, 'the KEKs of its keys exist')
  const { at } = asObject(states['applied'])
  if (typeof at === 'string') forgetting.appliedMs = Date.parse(at) - clockShiftMs
  return typeof at === 'string'
}

/** Returns the greater offset. A rebuilt stream starts where it started before, if the input still has that event. */
const later = (one: bigint, other = one): bigint => (other > one ? other : one)

/** Rebuilds an output. Afterwards the output contains only events that the input still has. */
export async function rebuild(theatre: Theatre, { choice }: PlannedFault): Promise<void> {
  const { stream, path } = chosenDerived(theatre, choice)
  const earliest = () =>
    pollUntil(
      () => theatre.topics.admin.offsets.earliest(stream.input.topic).catch(() => undefined),
      { deadlineMs: rebuiltWithinMs, what: 'offsets' },
    )
  const before = await earliest()
  await theatre.farewell(stream)
  await insist(theatre, [202], (account) =>
    account.call('POST', `${path}/rebuild`, { acceptLoss: true }),
  )
  await pollUntil(() => isRebuilt(theatre, path), {
    deadlineMs: rebuiltWithinMs,
    everyMs: 250,
    what: 'that it is rebuilt',
  })
  const after = await earliest()
  const rebuilt: TestOutput = {
    ...stream,
    start: stream.start.map(({ earliest, latest }, partition) => ({
      earliest: later(earliest, before[partition]),
      latest: later(latest, after[partition]),
    })),
  }
  theatre.streams.put(rebuilt)
}

async function isRebuilt({ account }: Theatre, path: string): Promise<true | undefined> {
  const reply = await account()
    .call('GET', path)
    .catch(() => undefined)
  const doneAt = asObject(reply?.body['rebuild'])['doneAt']
  return reply?.status === 200 && typeof doneAt === 'string' ? true : undefined
}

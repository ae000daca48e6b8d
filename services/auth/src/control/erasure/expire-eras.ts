// Makes old events unreadable: the keys of an era are deleted `keyRetentionDays` after its end, and those of a term
// with its last era (docs/keys.md, Age). A clock error must not cause a deletion. So auth's clock and the broker's must
// agree, and a stream loses at most one era per day.
import { eraAt, eraEndMs, lastEraOf, termOf } from '@weir/fieldcrypt'
import type { Configs } from '@weir/kafka'
import {
  ERASURE_LOG_KEY,
  act,
  eraPrefix,
  keyRecordName,
  replicasTopic,
  streamKey,
  termPrefix,
} from '@weir/control-state'
import type {
  Draft,
  ErasureRecord,
  InputStream,
  KeyStore,
  ReplicaFollower,
  StateFollower,
} from '@weir/control-state'
import { deleteErasure } from './delete-erasure.ts'
import { logRemoval } from './erasure-log.ts'
import type { Log } from '@weir/kit'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'

const dayMs = 86_400_000
const clocksDifferMsMax = 60_000

const againMs = 3_600_000
/** The pause if the clocks disagree, or can't be compared. */
const unsureMs = 10_000
const tellEveryMs = 600_000

/** Returns the current time; undefined if the clocks of auth and the broker disagree, or can't be compared. */
export type AgreedNow = () => Promise<number | undefined>

export function createAgreedNow(deps: {
  replicas: Pick<ReplicaFollower, 'replicas'>
  configs: Pick<Configs, 'topic'>
  now: () => number
  log: Log
}): AgreedNow {
  let toldMs = -Infinity
  const tell = (aheadMs: number): void => {
    if (performance.now() - toldMs < tellEveryMs) return
    toldMs = performance.now()
    const aheadOfBrokerSeconds = Math.round(aheadMs / 1_000)
    deps.log.error(
      { aheadOfBrokerSeconds },
      'the clocks differ between auth and Kafka: no keys are removed',
    )
  }
  return async () => {
    const aheadMs = deps.replicas.replicas.aheadOfBrokerMs()
    if (aheadMs === undefined) return undefined
    if (Math.abs(aheadMs) > clocksDifferMsMax) {
      tell(aheadMs)
      return undefined
    }
    // With another setting, the topic's timestamps are those of the replicas, not of the broker.
    const { 'message.timestamp.type': type } = await deps.configs.topic(replicasTopic)
    return type === 'LogAppendTime' ? deps.now() - Math.max(0, aheadMs) : undefined
  }
}

export type Expiring = Pick<Changes, 'actor'> & {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'tables' | 'keyStore'>
  readonly log: Log
}

/** Runs one pass. Returns the wait before the next, in ms. */
export async function expireEras(deps: Expiring, agreedNow: AgreedNow): Promise<number> {
  const { tables, keyStore } = deps.follower
  const nowMs = await agreedNow()
  if (nowMs === undefined) return unsureMs
  for (const stream of Array.from(tables.streams())) {
    if (stream.kind !== 'input' || expiredEra(keyStore, stream, nowMs) === undefined) continue
    const { billingId: account, name } = stream
    const what = act(deps, 'keys.expire', { account, stream: name })
    const era = await deps.wrappingKeys.changeWith(what, [ERASURE_LOG_KEY], (draft) =>
      expireOne(deps, draft, stream, nowMs),
    )
    if (era !== undefined)
      deps.log.info({ stream: stream.streamId, era }, 'keys past their retention were removed')
  }
  return againMs
}

/** Returns the oldest expired era; undefined if no era has expired, or if one was removed less than a day ago. */
function expiredEra(
  store: Pick<KeyStore, 'under'>,
  stream: InputStream,
  nowMs: number,
): number | undefined {
  const { state, keyRetentionDays, keysExpiredAtMs = -Infinity } = stream
  if (state === 'deleting' || nowMs - keysExpiredAtMs < dayMs) return undefined
  let oldest: number | undefined
  for (const key of store.under(`${stream.billingId}/${stream.streamId}/`)) {
    const name = keyRecordName(key)
    if (name === undefined) continue
    const era = name.era ?? lastEraOf(name.term)
    if (oldest === undefined || era < oldest) oldest = era
  }
  if (oldest === undefined) return undefined
  return eraEndMs(oldest) + keyRetentionDays * dayMs < nowMs ? oldest : undefined
}

function expireOne(
  deps: Expiring,
  draft: Draft,
  { billingId, name, streamId }: InputStream,
  nowMs: number,
) {
  const current = draft.stream(billingId, name)
  if (current?.kind !== 'input' || current.streamId !== streamId) return undefined
  const era = expiredEra(draft.keys, current, nowMs)
  if (era === undefined) return undefined
  logRemoval(deps, draft, { ...current, era })
  draft.addToEntry({ era, count: removeEra(draft, current, { era, nowMs }) })
  return era
}

/**
 * Removes the keys of an era, and those of its term if the era is the last one. Also removes erasures without remaining
 * keys. Returns the number of removed key records.
 */
export function removeEra(
  draft: Draft,
  stream: InputStream,
  { era, nowMs }: { era: number; nowMs: number },
): number {
  const term = termOf(era)
  const keys = [
    ...draft.keys.under(eraPrefix({ ...stream, era })),
    ...(era === lastEraOf(term) ? draft.keys.under(termPrefix({ ...stream, term })) : []),
  ]
  for (const key of keys) draft.keys.put(key, null)
  for (const erasure of draft.erasuresOf(stream.streamId))
    if (isPast(erasure, era)) deleteErasure(draft, erasure)
  draft.put(streamKey(stream.billingId, stream.name), { ...stream, keysExpiredAtMs: nowMs })
  return keys.length
}

/** Returns whether all keys that an erasure has changed are removed, so that its record is not needed any more. */
const isPast = ({ terms, acceptedAtMs, complete }: ErasureRecord, era: number): boolean =>
  complete !== undefined && Math.max(eraAt(acceptedAtMs), ...terms.map(lastEraOf)) <= era

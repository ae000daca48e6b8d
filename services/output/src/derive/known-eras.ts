// Finds the keys of an era of an input stream, as far as this replica knows them. Distinguishes erased, nonexistent and
// missing keys. Keys count as erased or nonexistent only when this is certain. The keyring contains the keys
// themselves.
import { eraAt, eraEndMs } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { InputStream, StateFollower } from '@weir/control-state'
import { notKnownYet } from './errors.ts'

/**
 * The keys of an era of the input stream. `erased`: deleted for good. `never`: no event can have been encrypted in the
 * era. Undefined: this replica lacks the keys, although they may exist.
 */
export type KnownEra = EraKeys | 'erased' | 'never' | undefined

const dayMs = 86_400_000

type EraKeysDeps = {
  follower: {
    keyring: Pick<StateFollower['keyring'], 'eraKeys'>
    keyStore: Pick<StateFollower['keyStore'], 'under'>
    tables: Pick<StateFollower['tables'], 'streamById'>
  }
  now: () => number
}

/**
 * Keys count as erased only if no key record of the era exists, and the era is past the stream's key retention
 * (docs/keys.md, An encrypted field). `never` is final once control state is newer than the event, because ingest
 * encrypts only with existing keys.
 */
export function createKnownEras(
  { follower, now }: EraKeysDeps,
  input: InputStream,
): (era: number) => KnownEra {
  const { keyring, keyStore, tables } = follower
  const { billingId, streamId } = input

  const isPast = (era: number): boolean => {
    const current = tables.streamById(streamId)
    const { keyRetentionDays } = current?.kind === 'input' ? current : input
    return eraEndMs(era) + keyRetentionDays * dayMs < now()
  }
  const hasAny = (prefix: string): boolean => {
    const [first] = keyStore.under(prefix)
    return first !== undefined
  }
  const hasKeys = (era: number): boolean => hasAny(`${billingId}/${streamId}/${era}/`)
  /** Returns true if no key record of the era exists, and the era is before the stream's creation or in the future. */
  const wasNever = (era: number): boolean => {
    const isOutside = era < eraAt(input.createdAtMs) || era > eraAt(now())
    return isOutside && !hasKeys(era)
  }
  return (era) => {
    const keys = keyring.eraKeys(billingId, streamId, era)
    if (keys !== undefined) return keys
    if (isPast(era) && !hasKeys(era)) return 'erased'
    return wasNever(era) ? 'never' : undefined
  }
}

/**
 * Returns the levels that a person has withdrawn since the event (docs/forgetting.md). Code that uses the event's
 * consent for an output must first remove these levels.
 * @throws DeriveError `derive.not_known_yet`
 */
export function withdrawnBy(keys: EraKeys, link: Uint8Array): readonly number[] {
  if (!keys.hasWithdrawn) return []
  const withdrawn = keys.withdrawn(link)
  if (withdrawn === undefined)
    throw notKnownYet(`what people have withdrawn from stream ${keys.streamId}, era ${keys.era},`)
  return withdrawn
}

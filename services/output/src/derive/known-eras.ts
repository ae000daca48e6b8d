// Which keys an era of an input stream has, as far as this replica knows. Gone, never there and not at hand
// are three things, and each is said only when it is certain. Keys themselves are the keyring's.
import { eraAt, eraEndMs } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { InputStream, StateFollower } from '@weir/control-state'

/**
 * The keys of an era of the input stream. `erased`: gone for good; `never`: no event can have been sealed in
 * it; undefined: not at hand, which is never taken for either.
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
 * The input's keys of an era. They are erased when no part of their tree is there and the era is past
 * the stream's key retention, and not before (docs/keys.md, A sealed field). `never` holds for good once
 * control state has been followed past the record that names the era: ingest seals with keys that are there.
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
  const hasTree = (era: number): boolean => hasAny(`${billingId}/${streamId}/${era}/tree`)
  /** Before the stream was made or in time to come, and no part of it was ever made. */
  const wasNever = (era: number): boolean => {
    const isOutside = era < eraAt(input.createdAtMs) || era > eraAt(now())
    return isOutside && !hasAny(`${billingId}/${streamId}/${era}/`)
  }
  return (era) => {
    const keys = keyring.eraKeys(billingId, streamId, era)
    if (keys !== undefined) return keys
    if (isPast(era) && !hasTree(era)) return 'erased'
    return wasNever(era) ? 'never' : undefined
  }
}

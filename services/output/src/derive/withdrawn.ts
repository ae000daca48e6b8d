// The levels that people have withdrawn since (docs/forgetting.md). Code that uses an event's consent for an output must
// first remove them from it.
import type { EraKeys } from '@weir/fieldcrypt'
import { notKnownYet } from './errors.ts'

/** @throws DeriveError `derive.not_known_yet` */
export function withdrawnBy(keys: EraKeys, link: Uint8Array): readonly number[] {
  if (!keys.hasWithdrawn) return []
  const withdrawn = keys.withdrawn(link)
  if (withdrawn === undefined)
    throw notKnownYet(`what people have withdrawn from stream ${keys.streamId}, era ${keys.era},`)
  return withdrawn
}

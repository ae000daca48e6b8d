// Creates the key records of a stream's terms and eras once, one era ahead, for every level of the account's active
// contracts (docs/keys.md). They leave this file only in wrapped form.
import { randomBytes } from 'node:crypto'
import {
  eraAt,
  levelPart,
  makePart,
  keyNameOfPart,
  suffixOfPart,
  termOf,
  wrapPart,
} from '@weir/fieldcrypt'
import { act, eraPrefix, termPrefix } from '@weir/control-state'
import type { Draft, InputStream, StateFollower, StreamRecord } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import { levelsAskedBy } from './wrapping-keys.ts'
import type { WrappingKeys } from './wrapping-keys.ts'

type Making = Pick<Changes, 'now'> & { readonly wrappingKeys: WrappingKeys }

export type KeepingEras = Making &
  Pick<Changes, 'actor'> & { readonly follower: Pick<StateFollower, 'tables'> }

/** Returns the keys of all records of a stream in `weir.keys`. */
export const keysUnderStream = (draft: Draft, stream: StreamRecord): string[] =>
  draft.keys.under(`${stream.billingId}/${stream.streamId}/`)

/**
 * Puts the missing key records of this era, the next era and their terms. The wrapping keys must exist (`changeFor`).
 */
export function putKeyRecords(deps: Making, draft: Draft, stream: InputStream): void {
  const era = eraAt(deps.now())
  const levels = levelsAskedBy(draft, stream.billingId)
  const putMissing = (prefix: string, parts: readonly string[]): void => {
    const there = new Set(
      draft.keys.under(prefix).map((key) => wholePart(key.slice(prefix.length))),
    )
    for (const part of parts)
      if (!there.has(part)) draft.keys.put(prefix + part, newKeyRecord(deps, prefix + part, part))
  }
  for (const term of new Set([era, era + 1].map(termOf)))
    putMissing(termPrefix({ ...stream, term }), ['link', 'tree'])
  for (const each of [era, era + 1])
    putMissing(eraPrefix({ ...stream, era: each }), ['label', ...levels.map(levelPart)])
}

/** Returns `tree` also for a part of a split tree. */
const wholePart = (part: string): string => (suffixOfPart(part) === undefined ? part : 'tree')

function newKeyRecord({ wrappingKeys }: Making, recordKey: string, part: string): Buffer {
  const plain = makePart(part, randomBytes)
  const wrapped = wrapPart({ ...wrappingKeys.current(keyNameOfPart(part)), recordKey, plain })
  plain.fill(0)
  return wrapped
}

/** Creates the missing key records of this era and the next. */
export async function keepErasAhead(deps: KeepingEras): Promise<void> {
  const accounts = new Set<string>()
  for (const stream of deps.follower.tables.streams())
    if (stream.kind === 'input' && stream.state !== 'deleting') accounts.add(stream.billingId)
  for (const billingId of accounts) {
    const what = act(deps, 'keys.era.create', { account: billingId })
    await deps.wrappingKeys.changeFor(what, { billingId }, (draft) => {
      for (const stream of draft.streamsOf(billingId))
        if (stream.kind === 'input' && stream.state !== 'deleting')
          putKeyRecords(deps, draft, stream)
    })
  }
}

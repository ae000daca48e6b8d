// The first step of a key rotation. One transaction writes the rotation's record and a new version of every wrapping
// key, wrapped by the newest KEKs. From then on the new versions wrap new key records. continue-rotation.ts then wraps
// the old key records again.
import { randomUUID } from 'node:crypto'
import { wrapByKek } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import {
  ERASURE_LOG_KEY,
  act,
  versionOfKeyId,
  wrappingKeyId,
  rotationKey,
} from '@weir/control-state'
import type { Draft, RotationRecord, StateFollower } from '@weir/control-state'
import { newWrappingKey } from '../wrapping-keys.ts'
import type { Changes } from '../../changes.ts'
import { newestVersions, partsBehind } from './key-report.ts'
import { refusal } from '../../../errors.ts'

export type StartingRotation = Changes & {
  readonly follower: Pick<StateFollower, 'keyStore' | 'wrappingKeys'>
  readonly kek: KekProvider
  /** Triggers the next pass of the rotation. */
  readonly rotateSoon: () => void
}

type NewWrappingKey = { readonly ring: string; readonly version: number; readonly value: Buffer }

type Wrapped = {
  readonly next: readonly NewWrappingKey[]
  readonly logKeys: readonly NewWrappingKey[]
}

const triesMax = 3

/**
 * Returns the current rotation: a new one, or one that is already in progress. The reconcile loop completes it.
 * @throws Refusal `unavailable`
 */
export async function startRotation(deps: StartingRotation): Promise<RotationRecord> {
  for (let tries = 0; tries < triesMax; tries++) {
    const wrapped = { next: await wrapNext(deps), logKeys: await wrapLogKeys(deps) }
    const begun = await deps.writer.change(act(deps, 'keys.rotate', {}), (draft) =>
      begin(deps, draft, wrapped),
    )
    if (begun === undefined) continue
    deps.rotateSoon()
    return begun
  }
  throw refusal('unavailable', 'Other key rotations are in progress; try again')
}

async function wrapNext({
  follower,
  kek,
}: Pick<StartingRotation, 'follower' | 'kek'>): Promise<NewWrappingKey[]> {
  const newest = newestVersions(follower.keyStore.under('_ring/'))
  const next = [...newest].map(async ([ring, last]) => {
    const version = last + 1
    return { ring, version, value: await newWrappingKey(kek, wrappingKeyId(ring, version)) }
  })
  return Promise.all(next)
}

/**
 * Wraps all versions of the erasure log's wrapping key with the newest KEK. The versions are kept, because the entries
 * of the log stay unchanged.
 */
async function wrapLogKeys({ follower, kek }: StartingRotation): Promise<NewWrappingKey[]> {
  const versions = [...follower.keyStore.under(wrappingKeyId(ERASURE_LOG_KEY, ''))].map(
    versionOfKeyId,
  )
  const wrapped: NewWrappingKey[] = []
  for (const version of versions) {
    const key = follower.wrappingKeys.key(ERASURE_LOG_KEY, version)
    if (key === undefined)
      throw refusal('unavailable', 'A wrapping key cannot be unwrapped yet; try again')
    const plain = key.export()
    const value = await wrapByKek(kek, wrappingKeyId(ERASURE_LOG_KEY, version), plain)
    plain.fill(0)
    wrapped.push({ ring: ERASURE_LOG_KEY, version, value })
  }
  return wrapped
}

/** Returns undefined if the wrapping keys have changed since the new versions were wrapped. */
function begin(
  { now }: Changes,
  draft: Draft,
  { next, logKeys }: Wrapped,
): RotationRecord | undefined {
  const last = draft.rotation()
  if (last !== undefined && last.finishedAtMs === undefined) return last
  const newest = newestVersions(draft.keys.under('_ring/'))
  const fits = ({ ring, version }: NewWrappingKey): boolean => newest.get(ring) === version - 1
  if (newest.size !== next.length || !next.every(fits)) return undefined
  for (const { ring, version, value } of [...logKeys, ...next]) {
    draft.keys.put(wrappingKeyId(ring, version), value)
    if (ring === ERASURE_LOG_KEY) draft.log(wrappingKeyId(ring, version), value)
  }
  const rings = Object.fromEntries(next.map(({ ring, version }) => [ring, version]))
  const begun: RotationRecord = {
    type: 'rotation',
    rotationId: randomUUID(),
    startedAtMs: now(),
    rings,
    parts: partsBehind(draft.keys, rings).length,
    unusedKeks: last?.unusedKeks ?? [],
  }
  draft.put(rotationKey, begun)
  draft.addToEntry({ rings: Object.keys(rings), count: begun.parts })
  return begun
}

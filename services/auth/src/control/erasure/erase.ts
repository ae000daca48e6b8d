// Forgetting a person, or withdrawing consents of one (docs/forgetting.md): in every retained era of a stream
// the subtrees that lead to his keys are taken out of the tree, in one transaction with the record that says
// so. The values themselves are put nowhere. When the change is effective everywhere is erasure-states.ts.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { linksOf } from '@weir/fieldcrypt'
import { act, erasureKey, erasureMarker, markerValue, requireInput } from '@weir/control-state'
import type { AuditTarget, Draft, ErasureRecord } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import { kekIdsOf } from '../keys/kek-ids.ts'
import { requireRoom, warnOfBound } from './erasure-bound.ts'
import type { Bounding } from './erasure-bound.ts'
import { punctureEras } from './puncture-eras.ts'
import type { Puncturing, Subtrees } from './puncture-eras.ts'

export type Erasing = Changes &
  Puncturing &
  Bounding & {
    /** Asks for a look at pending erasures without waiting for the next regular one. */
    readonly erasuresSoon: () => void
  }

export type EraseRequest = {
  readonly billingId: string
  readonly name: string
  /** Values of the key field, 1 to 100: all of them or none. */
  readonly values: readonly string[]
} & Asked

export type Asked = {
  /** The lowest level whose consent is withdrawn; without one the whole person goes. */
  readonly fromLevel?: number | undefined
  /** What the caller calls it; shown, and in the receipt. */
  readonly reference?: string | undefined
}

/** The salt is kept nowhere: with it, who has the value can show which receipt is about it. */
export type Erased = { readonly erasure: ErasureRecord; readonly salt: string }

const saltBytes = 32

/** HMAC-SHA-256(salt, value), base64url: a value as a receipt names it. */
export const subjectOf = (salt: string, value: string): string =>
  createHmac('sha256', Buffer.from(salt, 'base64url')).update(value, 'utf8').digest('base64url')

/** Accepted, once it resolves: nothing can take it back. @throws Refusal `erasures_exceeded` */
export async function eraseValues(deps: Erasing, request: EraseRequest): Promise<Erased> {
  const salt = randomBytes(saltBytes).toString('base64url')
  const values = [...new Set(request.values)]
  const { billingId, name, fromLevel } = request
  const target = {
    account: billingId,
    stream: name,
    ...(fromLevel === undefined ? {} : { fromLevel }),
  }
  const erasure = await changeErasing(deps, target, (draft) => {
    const stream = requireInput(draft, billingId, name)
    requireRoom(deps, draft, { billingId, count: values.length })
    return putErasure(deps, draft, {
      stream,
      subjects: values.map((value) => subjectOf(salt, value)),
      linksIn: (keys) => values.flatMap((value) => linksOf(keys, value)),
      counted: values.length,
      fromLevel,
      reference: request.reference,
    })
  })
  return { erasure, salt }
}

/** A change that puts an erasure; whether it is applied is looked for at once afterwards. */
export async function changeErasing<Answer>(
  deps: Erasing,
  target: AuditTarget & { readonly account: string },
  decide: (draft: Draft) => Answer,
): Promise<Answer> {
  const what = act(deps, 'erasure.create', target)
  const answer = await deps.wrappingKeys.changeWith(what, ['open'], decide)
  warnOfBound(deps, target.account)
  deps.erasuresSoon()
  return answer
}

export type Erasure = Subtrees &
  Asked & {
    readonly subjects: readonly string[]
    /** See erasure-bound.ts. */
    readonly counted: number
  }

/** @throws Refusal `unavailable` when a part of an era can't be read: a link left out would stay readable */
export function putErasure(
  deps: Puncturing,
  draft: Draft,
  { stream, subjects, linksIn, counted, fromLevel, reference }: Erasure,
): ErasureRecord {
  const erasureId = randomUUID()
  // In front of what it changes: versions of a part that lie before it in the log are older (erasure-states.ts).
  draft.keys.put(erasureMarker(erasureId), markerValue)
  const { levels, replaced, oldRings } = punctureEras(deps, draft, { stream, linksIn, fromLevel })
  const record: ErasureRecord = {
    type: 'erasure',
    erasureId,
    billingId: stream.billingId,
    streamId: stream.streamId,
    subjects,
    counted,
    ...(fromLevel === undefined ? {} : { fromLevel }),
    levels: [...levels].sort((a, b) => a - b),
    ...(reference === undefined ? {} : { reference }),
    eras: Object.keys(replaced).map(Number),
    replaced,
    keks: keksOf(draft, oldRings),
    acceptedAtMs: deps.now(),
  }
  draft.put(erasureKey(stream.streamId, erasureId), record)
  draft.addToEntry({ erasure: erasureId, count: subjects.length })
  return record
}

/** Together with its stream. */
export function dropErasure(draft: Draft, { streamId, erasureId }: ErasureRecord): void {
  draft.put(erasureKey(streamId, erasureId), null)
  if (draft.keys.get(erasureMarker(erasureId)) !== undefined)
    draft.keys.put(erasureMarker(erasureId), null)
}

/** Of the parts that are replaced now, and of older copies of them from before a rotation. */
function keksOf(draft: Draft, ringVersions: ReadonlySet<number>): string[] {
  const unused = draft.rotation()?.unusedKeks.map(({ kek }) => kek) ?? []
  return [...new Set([...kekIdsOf(draft.keys, 'open', ringVersions), ...unused])].sort()
}

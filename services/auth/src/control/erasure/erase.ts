// Erases a person, or withdraws consents of a person (docs/forgetting.md). Removes the subtrees of the person's keys in
// every retained term of a stream, in the transaction that writes the erasure's record. Links that do not fit into the
// transaction are stored, and erase-rest.ts removes them. The values are not stored. erasure-states.ts finds out when
// the erasure is effective everywhere.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { growthMaxBytes, linksOf, withdrawalBytes } from '@weir/fieldcrypt'
import {
  ERASURE_LOG_KEY,
  act,
  cutsKey,
  cutsValue,
  erasureKey,
  markerKey,
  markerValue,
  requireAccount,
  requireInput,
} from '@weir/control-state'
import type {
  Draft,
  ErasureRecord,
  Erasures,
  ErasureTerm,
  FoundPeople,
  InputStream,
  Streams,
} from '@weir/control-state'
import type { Refusal } from '@weir/http-api'
import type { InTurn } from '@weir/kit'
import type { Changes } from '../changes.ts'
import { kekIdsOf } from '../keys/kek-ids.ts'
import type { Leasing } from '../lease.ts'
import { refusal } from '../../errors.ts'
import { logErasure } from './erasure-log.ts'
import { requireQuota } from '../quotas.ts'
import { requireKeyRoom, requireRoom, warnOfBound } from './erasure-bound.ts'
import type { Bounding } from './erasure-bound.ts'
import {
  cutsIn,
  termsOf,
  isAsPrepared,
  preparePiece,
  putPiece,
  replacedBy,
  keyVersionsReplacedBy,
  wipe,
} from './puncture-terms.ts'
import { restLease } from './rest-lease.ts'
import type { Cut, Piece, Puncturing, Subtrees, Term } from './puncture-terms.ts'

export type Erasing = Changes &
  Leasing &
  Puncturing &
  Bounding & {
    /** Runs the erasures of one stream in sequence within this process, because they change the same trees. */
    readonly inTurn: InTurn
    /** Triggers the next check of pending erasures. */
    readonly erasuresSoon: () => void
  }

export type EraseRequest = {
  /** The stream that the links were read from. A new stream of the same name is a different stream. */
  readonly stream: InputStream
  /** The kinds of fields that contain the values, at least one. */
  readonly as: readonly ErasureTerm[]
  /** 1 to 100 values, which are accepted or refused together. */
  readonly values: readonly string[]
  /** The links that are stored for these values, if the values are data subjects. */
  readonly links: LinksByTerm
  /** The result of the search for these values. */
  readonly found: FoundPeople
  readonly evenIfNoneFound: boolean
} & Asked

export type LinksByTerm = ReadonlyMap<number, readonly Uint8Array[]>

export type Asked = {
  /** The levels to withdraw; undefined: the whole person is erased. */
  readonly levels?: readonly number[] | undefined
  /** The caller's name for the erasure. It is shown, and is in the receipt. */
  readonly reference?: string | undefined
  /** The deadline for the response to the person, such as 2026-12-24. Weir only shows it. */
  readonly dueOn?: string | undefined
}

/** The salt is not stored. With salt and value, anyone can prove that a receipt is about this value. */
export type Erased = { readonly erasure: ErasureRecord; readonly salt: string }

const saltBytes = 32
/** Never starts with `-`, because a spreadsheet would read the text as a formula. */
const newSalt = (): string => randomBytes(saltBytes).toString('base64url').replace(/^-/, '_')

/** Returns the form of a value in a receipt: HMAC-SHA-256(salt, value), base64url. */
export const subjectOf = (salt: string, value: string): string =>
  createHmac('sha256', Buffer.from(salt, 'base64url')).update(value, 'utf8').digest('base64url')

/**
 * When this resolves, the erasure is accepted and can't be undone.
 * @throws Refusal `erasures_exceeded`, `none_found`, `not_found`, `quota_exceeded`, `unavailable`
 */
export async function erasePeople(deps: Erasing, request: EraseRequest): Promise<Erased> {
  const { stream, as, links, evenIfNoneFound, levels } = request
  const salt = newSalt()
  const values = [...new Set(request.values)]
  const ofKeyField = as.includes('key_field') ? values : []
  // ERASURES_MAX always limits values of key fields, because a caller can invent values. It limits links of stored
  // events only in an erasure that changes nothing.
  const ofEvents = Math.max(0, ...[...links.values()].map((inTerm) => inTerm.length))
  const counted = Math.max(1, ofKeyField.length + ofEvents)
  const check: Erasure['check'] = (state, { changesNothing }) => {
    if (changesNothing && !evenIfNoneFound) throw nothingAt(stream, levels)
    const count = changesNothing ? counted : ofKeyField.length
    if (count > 0) requireRoom(deps, state, { billingId: stream.billingId, count })
  }
  check(deps.follower.tables, { changesNothing: false }) // early, so that a refusal costs little
  const erasure = await acceptErasure(deps, {
    ...request,
    subjects: values.map((value) => subjectOf(salt, value)),
    *linksIn(keys) {
      for (const value of ofKeyField) yield* linksOf(keys, value)
      yield* links.get(keys.term) ?? []
    },
    counted,
    check,
  })
  return { erasure, salt }
}

const nothingAt = ({ name }: InputStream, levels: readonly number[] | undefined): Refusal =>
  refusal(
    'none_found',
    `In the stream ${name} this person was already erased${levels === undefined ? '' : `, or the levels ${levels.join(', ')} were already withdrawn`}. To have a receipt all the same, send evenIfNoneFound: true`,
  )

type Erasure = Subtrees &
  Asked &
  Pick<EraseRequest, 'as' | 'found'> & {
    readonly subjects: readonly string[]
    /** The number of values that count: see erasure-bound.ts. */
    readonly counted: number
    /** Throws if the erasure is not permitted. */
    readonly check: (state: Streams & Erasures, put: { readonly changesNothing: boolean }) => void
  }

// The maximum number of attempts. An attempt fails if another replica or a rotation changes the keys first.
const triesMax = 20

/** @throws Refusal `unavailable` if the keys of a term can't be read, because a missed link would stay readable */
async function acceptErasure(deps: Erasing, erasure: Erasure): Promise<ErasureRecord> {
  const { billingId, streamId } = erasure.stream
  const record = await deps.inTurn(streamId, async () => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const put = await tryErasure(deps, erasure)
      if (put !== undefined) return put
    }
    throw refusal('unavailable', 'The keys of the stream are being changed; try again')
  })
  warnOfBound(deps, billingId)
  deps.erasuresSoon()
  return record
}

/** Returns undefined if the keys have changed meanwhile. */
async function tryErasure(deps: Erasing, erasure: Erasure): Promise<ErasureRecord | undefined> {
  const { stream, levels } = erasure
  await deps.wrappingKeys.settled()
  const terms = termsOf(deps.follower.keyStore, stream)
  const cuts = await cutsIn(deps, { ...erasure, terms })
  if (cuts === undefined) return undefined
  requireKeyRoom(deps, stream.billingId, growthOfCuts(terms, cuts, levels?.length))
  const piece = await preparePiece(deps, { stream, cuts, levels })
  if (piece === undefined) return undefined
  const target = {
    account: stream.billingId,
    stream: stream.name,
    ...(levels === undefined ? {} : { levels }),
  }
  try {
    return await deps.wrappingKeys.changeWith(
      act(deps, 'erasure.create', target),
      ['open', ERASURE_LOG_KEY],
      (draft) => {
        const current = requireInput(draft, stream.billingId, stream.name)
        if (current.streamId !== stream.streamId) throw replaced(stream)
        const isSame = JSON.stringify(termsOf(draft.keys, stream)) === JSON.stringify(terms)
        if (!isSame || !isAsPrepared(draft, piece)) return undefined
        const rest = cuts.slice(piece.done)
        requireQuota(draft, requireAccount(draft, stream.billingId), {
          erasedLinks: erasure.counted,
        })
        erasure.check(draft, { changesNothing: piece.parts.length + rest.length === 0 })
        return putErasure(deps, draft, { erasure, terms, piece, cuts })
      },
    )
  } finally {
    wipe(piece)
  }
}

/** Returns an upper bound of the growth of the keys, in bytes. */
const growthOfCuts = (
  terms: readonly Term[],
  cuts: readonly Cut[],
  levels: number | undefined,
): number =>
  terms.reduce((sum, { term }) => {
    const links = cuts.filter((cut) => cut.term === term).length
    return sum + growthMaxBytes(links, levels) + links * withdrawalBytes(levels ?? 0)
  }, 0)

type Planned = {
  readonly erasure: Erasure
  readonly terms: readonly Term[]
  readonly piece: Piece
  /** All links to remove. The links of `piece` are the first ones. */
  readonly cuts: readonly Cut[]
}

function putErasure(
  deps: Erasing,
  draft: Draft,
  { erasure, terms, piece, cuts }: Planned,
): ErasureRecord {
  const { stream, as, subjects, found, counted, levels: withdrawn, reference, dueOn } = erasure
  const { billingId, streamId } = stream
  const erasureId = randomUUID()
  const rest = cuts.slice(piece.done)
  const levels = new Set(withdrawn ?? terms.flatMap((term) => term.levels))
  const changed = new Set([...replacedBy(piece), ...rest].map(({ term }) => term))
  const record: ErasureRecord = {
    type: 'erasure',
    erasureId,
    billingId,
    streamId,
    as,
    subjects,
    found,
    counted,
    ...(withdrawn === undefined ? {} : { isWithdrawal: true }),
    levels: [...levels].sort((a, b) => a - b),
    ...(reference === undefined ? {} : { reference }),
    ...(dueOn === undefined ? {} : { dueOn }),
    terms: [...changed].sort((a, b) => a - b),
    pieces: 0,
    keks: [],
    acceptedAtMs: deps.now(),
  }
  logErasure(deps, draft, { record, cuts })
  putRest(draft, erasureId, rest)
  draft.addToEntry({ erasure: erasureId, count: subjects.length })
  const begun = () => ({ links: cuts.length, done: piece.done, worker: restLease(deps, streamId) })
  return putErasurePiece(deps, draft, {
    piece,
    record: rest.length === 0 ? record : { ...record, rest: begun() },
  })
}

const cutsInRecord = 100

function putRest(draft: Draft, erasureId: string, rest: readonly Cut[]): void {
  for (let at = 0; at < rest.length;) {
    const term = rest[at]?.term ?? 0
    const end = rest.findIndex((cut, index) => index >= at && cut.term !== term)
    const next = Math.min(at + cutsInRecord, end < 0 ? rest.length : end)
    const links = rest.slice(at, next).map(({ link }) => link)
    draft.keys.put(cutsKey(erasureId, term, at), cutsValue(links))
    at = next
  }
}

export function putErasurePiece(
  deps: Puncturing,
  draft: Draft,
  { record, piece }: { record: ErasureRecord; piece: Piece },
): ErasureRecord {
  const { streamId, erasureId, pieces } = record
  // The marker is written before the new key records. So in the log, all records before the marker are older versions
  // (erasure-states.ts).
  draft.keys.put(markerKey(erasureId, pieces), markerValue(replacedBy(piece)))
  putPiece(deps, draft, piece)
  const keks = [...new Set([...record.keks, ...keksOf(draft, keyVersionsReplacedBy(piece))])].sort()
  const after = { ...record, keks, pieces: pieces + 1 }
  draft.put(erasureKey(streamId, erasureId), after)
  return after
}

/** Returns the KEKs of the replaced key records, and of their older copies from before a rotation. */
function keksOf(draft: Draft, keyVersions: ReadonlySet<number>): string[] {
  const unused = draft.rotation()?.unusedKeks.map(({ kek }) => kek) ?? []
  return [...kekIdsOf(draft.keys, 'open', keyVersions), ...unused]
}

const replaced = ({ name }: InputStream) =>
  refusal('not_found', `There is no stream ${name} any more; another one has its name now`)

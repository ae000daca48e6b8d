// The output service provides a person's own data, but can't compute the person's links from a value. So auth finds the
// links, encrypts them under a token, and stores them in control state for the few minutes in which the token is valid.
import { termEndMs, termStartMs } from '@weir/fieldcrypt'
import { act, newSecretId, sealPerson, secretHashOf, subjectAccessKey } from '@weir/control-state'
import type { InputStream, StateFollower, SubjectAccessRecord } from '@weir/control-state'
import type { Caller } from '@weir/http-api'
import type { Changes } from '../control/changes.ts'
import { openableIn, subjectTerms } from '../control/erasure/data-subjects.ts'
import type { LinksByTerm } from '../control/erasure/erase.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { refusal } from '../errors.ts'
import { keyFieldLinks, unreadableLink } from './person-links.ts'
import type { Wanted } from './person-links.ts'

const accessTokenMs = 300_000
/** Beyond this number, new tokens replace the oldest ones. */
const keptOfAccount = 50
/** Limited, because the links are stored in one record of control state. */
const linksMax = 20_000

/** A range of event times: `fromMs` is inclusive, `untilMs` is exclusive. */
export type AccessSpan = {
  readonly fromMs?: number | undefined
  readonly untilMs?: number | undefined
}

export type AccessRequest = Wanted & { readonly stream: InputStream; readonly span: AccessSpan }

type AccessDeps = Changes & {
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore'>
  readonly subjects: Pick<SubjectLog, 'find'>
}

/**
 * Creates a token for a person's events. It covers only links under which something can be decrypted.
 * @throws Refusal `unavailable`, `quota_exceeded`, `invalid`
 */
export async function grantAccess(
  deps: AccessDeps,
  { apiKey }: Pick<Caller, 'apiKey'>,
  request: AccessRequest,
): Promise<{ readonly accessToken: string; readonly expiresAtMs: number }> {
  const { stream, span } = request
  const { billingId, streamId, name } = stream
  const links = await linksFor(deps, request)
  const accessToken = newSecretId()
  const accessHash = secretHashOf(accessToken)
  const expiresAtMs = deps.now() + accessTokenMs
  const record: SubjectAccessRecord = {
    type: 'subject-access',
    accessHash,
    sealedPerson: sealPerson(accessToken, { links, values: request.values }),
    billingId,
    streamId,
    ...(span.fromMs === undefined ? {} : { fromMs: span.fromMs }),
    ...(span.untilMs === undefined ? {} : { untilMs: span.untilMs }),
    expiresAtMs,
    askedBy: { keyId: apiKey.keyId, name: apiKey.name },
  }
  const target = { account: billingId, stream: name }
  await deps.writer.change(act(deps, 'subject.access', target), (draft) => {
    const before = draft
      .subjectAccesses()
      .filter((one) => one.billingId === billingId)
      .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
    for (const old of before.slice(0, Math.max(0, before.length - keptOfAccount + 1)))
      draft.put(subjectAccessKey(old.accessHash), null)
    draft.put(subjectAccessKey(accessHash), record)
  })
  return { accessToken, expiresAtMs }
}

/** Removes the records of expired tokens. */
export async function expireAccesses({ follower, writer, now }: Changes & Expiring): Promise<void> {
  const isOver = ({ expiresAtMs }: SubjectAccessRecord): boolean => expiresAtMs <= now()
  if (!follower.tables.subjectAccesses().some(isOver)) return
  await writer.change('unlogged', (draft) => {
    for (const one of draft.subjectAccesses().filter(isOver))
      draft.put(subjectAccessKey(one.accessHash), null)
  })
}

type Expiring = { readonly follower: Pick<StateFollower, 'tables'> }

async function linksFor(
  { follower, subjects }: AccessDeps,
  { stream, values, as, span }: AccessRequest,
): Promise<LinksByTerm> {
  const links = new Map<number, Uint8Array[]>()
  const add = (term: number, more: Iterable<Uint8Array>): void => {
    if (!isWithin(term, span)) return
    const all = [...(links.get(term) ?? []), ...more]
    if (all.length > 0) links.set(term, all)
  }
  if (as.includes('data_subject_field'))
    for (const value of values)
      for (const found of await subjects.find(stream, value)) add(found.term, found.links.values())
  if (as.includes('key_field'))
    for (const term of subjectTerms(follower, stream)) {
      const keys = follower.keyring.termKeys(stream.billingId, stream.streamId, term)
      if (keys === undefined) throw unreadableLink()
      const isLeft = openableIn(follower, stream, keys)
      for (const value of values) add(term, keyFieldLinks(keys, value).filter(isLeft))
    }
  const count = [...links.values()].reduce((sum, inTerm) => sum + inTerm.length, 0)
  if (count > linksMax) throw tooMany(count)
  return links
}

const isWithin = (term: number, { fromMs = -Infinity, untilMs = Infinity }: AccessSpan): boolean =>
  termEndMs(term) > fromMs && termStartMs(term) < untilMs

const tooMany = (count: number) =>
  refusal(
    'invalid',
    `subject has ${count} pseudonyms in this time, and at most ${linksMax} can be asked for: set from and until to ask for less`,
  )

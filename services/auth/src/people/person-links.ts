// Finds the records of a stream that are about the searched people, by the links of key field values and of data
// subjects, in every term with keys. Records of other terms can't be assigned to a person.
import { eraAt, keyTimeOf, linksOf, openKeyLink, prefixesOf, termOf } from '@weir/fieldcrypt'
import type { TermKeys } from '@weir/fieldcrypt'
import { levelsInTerm } from '@weir/control-state'
import type { ErasureTerm, InputStream, StateFollower } from '@weir/control-state'
import { hasCode, takingTurns } from '@weir/kit'
import { subjectTerms } from '../control/erasure/data-subjects.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { refusal } from '../errors.ts'

/** What is known about the person of a link. */
export type KnownLink = {
  /** The index of the searched value. */
  readonly nth: number
  readonly as: ErasureTerm
  /** True if nobody can decrypt the fields any more. */
  readonly isErased: boolean
  /** The levels that the person has withdrawn. Empty if everything is erased. */
  readonly withdrawn: readonly number[]
}

/** What an erasure or a withdrawal has changed for an event. */
export type Reach = Pick<KnownLink, 'isErased' | 'withdrawn'>

/** Looks up events by keyLink and time. */
export type PersonLinks = {
  /**
   * Returns `unknown` if the keys of that time are deleted, `foreign` if ingest did not write the keyLink, `other` if
   * the person was not searched.
   */
  of(keyLink: Buffer, timestampMs: number): KnownLink | 'unknown' | 'foreign' | 'other'
  reach(keyLink: Buffer, timestampMs: number): Reach
}

type LinkDeps = {
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore'>
  readonly subjects: Pick<SubjectLog, 'links'>
}

const hourMs = 3_600_000

/** The values, and the kinds of fields in which they may name a person. */
export type Wanted = { readonly values: readonly string[]; readonly as: readonly ErasureTerm[] }

/**
 * A link of both kinds counts as a link of the key field.
 * @throws Refusal `unavailable` if the keys of a term can't be read now
 */
export async function linksOfPeople(
  { follower, subjects }: LinkDeps,
  stream: InputStream,
  { values, as }: Wanted,
): Promise<PersonLinks> {
  const bySubject = as.includes('data_subject_field')
    ? await Promise.all(values.map((value) => subjects.links(stream, value)))
    : []
  const byTerm = new Map<number, OfTerm>()
  const turn = takingTurns()
  for (const term of subjectTerms(follower, stream)) {
    const keys = follower.keyring.termKeys(stream.billingId, stream.streamId, term)
    if (keys === undefined) throw unreadableLink()
    const links = new Map<string, KnownLink>()
    const levels = levelsInTerm(follower.keyStore, { ...stream, term })
    const add = (link: Uint8Array, nth: number, field: ErasureTerm): void =>
      void links.set(hexOf(link), { nth, as: field, ...reachOf(keys, link, levels) })
    for (const [nth, ofSubject] of bySubject.entries())
      for (const link of ofSubject.get(term) ?? []) {
        add(link, nth, 'data_subject_field')
        await turn()
      }
    if (as.includes('key_field'))
      for (const [nth, value] of values.entries())
        for (const link of keyFieldLinks(keys, value)) add(link, nth, 'key_field')
    byTerm.set(term, { links, reach: (link) => reachOf(keys, link, levels) })
  }
  return lookUpIn({ follower }, stream, byTerm)
}

/** The links of a term, from the keys at the start of the search. */
type OfTerm = {
  readonly links: ReadonlyMap<string, KnownLink>
  reach(link: Uint8Array): Reach
}

function lookUpIn(
  { follower }: Pick<LinkDeps, 'follower'>,
  { billingId, streamId, rotationHours }: InputStream,
  byTerm: ReadonlyMap<number, OfTerm>,
): PersonLinks {
  const open = (keyLink: Buffer, timestampMs: number) => {
    const era = eraAt(timestampMs)
    const ofTerm = byTerm.get(termOf(era))
    const label = follower.keyring.eraKeys(billingId, streamId, era)?.label
    if (ofTerm === undefined || label === undefined) return 'unknown'
    const { epoch } = keyTimeOf(timestampMs, rotationHours * hourMs)
    try {
      return { ofTerm, link: openKeyLink(label, keyLink, epoch) }
    } catch (error) {
      if (hasCode(error, 'fieldcrypt.corrupt')) return 'foreign'
      throw error
    }
  }
  return {
    of(keyLink, timestampMs) {
      const opened = open(keyLink, timestampMs)
      if (typeof opened === 'string') return opened
      return opened.ofTerm.links.get(hexOf(opened.link)) ?? 'other'
    },
    reach(keyLink, timestampMs) {
      const opened = open(keyLink, timestampMs)
      // Without the keys of its time, nobody can decrypt the event.
      if (typeof opened === 'string') return { isErased: true, withdrawn: [] }
      return opened.ofTerm.reach(opened.link)
    },
  }
}

const hexOf = (link: Uint8Array): string => Buffer.from(link).toString('hex')

/** @throws Refusal `unavailable` */
export function keyFieldLinks(keys: TermKeys, value: string): Uint8Array[] {
  try {
    return linksOf(keys, value)
  } catch (error) {
    if (hasCode(error, 'fieldcrypt.key_unavailable')) throw unreadableLink()
    throw error
  }
}

function reachOf(keys: TermKeys, link: Uint8Array, levels: readonly number[]): Reach {
  // Without levels a person can only be erased completely.
  const paths = levels.length === 0 ? prefixesOf(link) : prefixesOf(link, levels)
  const isErased = paths.every((path) => keys.tree.find(path) === 'erased')
  const withdrawn = keys.withdrawn(link)
  if (withdrawn === undefined) throw unreadableLink()
  return { isErased, withdrawn: isErased ? [] : withdrawn }
}

export const unreadableLink = () =>
  refusal('unavailable', 'The keys of a term cannot be read now; try again')

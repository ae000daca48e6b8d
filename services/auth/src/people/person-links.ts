// Finds the records of a stream that are about people: the links of key field values, and the recorded links of data
// subjects, in every era with keys. Records of other eras can't be assigned to anyone any more.
import { eraAt, keyTimeOf, linksOf, openKeyLink, prefixesOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { levelsInEra } from '@weir/control-state'
import type { ErasureTerm, InputStream, StateFollower } from '@weir/control-state'
import { hasCode, takingTurns } from '@weir/kit'
import { subjectEras } from '../control/erasure/data-subjects.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { refusal } from '../errors.ts'

/** What a link reveals about a person. */
export type KnownLink = {
  /** The index of the value. */
  readonly nth: number
  readonly as: ErasureTerm
  /** True if nobody can decrypt the fields any more. */
  readonly isErased: boolean
  /** The levels that the person has withdrawn. Empty if everything is erased. */
  readonly withdrawn: readonly number[]
}

/** Looks up an event by its keyLink and time; `unknown` if the keys of that time are deleted. */
export type PersonLinks = (
  keyLink: Buffer,
  timestampMs: number,
) => KnownLink | 'unknown' | undefined

type LinkDeps = {
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore'>
  readonly subjects: Pick<SubjectLog, 'links'>
}

type Era = { readonly keys: EraKeys; readonly links: ReadonlyMap<string, KnownLink> }

const hourMs = 3_600_000

/** The values, and the kinds of fields in which they may name a person. */
export type Wanted = { readonly values: readonly string[]; readonly as: readonly ErasureTerm[] }

/**
 * A link of both kinds counts as a link of the key field.
 * @throws Refusal `unavailable` if the keys of an era can't be read now
 */
export async function linksOfPeople(
  { follower, subjects }: LinkDeps,
  stream: InputStream,
  { values, as }: Wanted,
): Promise<PersonLinks> {
  const bySubject = as.includes('data_subject_field')
    ? await Promise.all(values.map((value) => subjects.links(stream, value)))
    : []
  const eras = new Map<number, Era>()
  const turn = takingTurns()
  for (const era of subjectEras(follower, stream)) {
    const keys = follower.keyring.eraKeys(stream.billingId, stream.streamId, era)
    if (keys === undefined) throw unreadableLink()
    const links = new Map<string, KnownLink>()
    const levels = levelsInEra(follower.keyStore, { ...stream, era })
    const add = (link: Uint8Array, nth: number, term: ErasureTerm): void =>
      void links.set(hexOf(link), { nth, as: term, ...reachOf(keys, link, levels) })
    for (const [nth, byEra] of bySubject.entries())
      for (const link of byEra.get(era) ?? []) {
        add(link, nth, 'data_subject_field')
        await turn()
      }
    if (as.includes('key_field'))
      for (const [nth, value] of values.entries())
        for (const link of keyFieldLinks(keys, value)) add(link, nth, 'key_field')
    eras.set(era, { keys, links })
  }
  return (keyLink, timestampMs) => {
    const era = eras.get(eraAt(timestampMs))
    if (era?.keys.label === undefined) return 'unknown'
    const time = keyTimeOf(timestampMs, stream.rotationHours * hourMs)
    try {
      return era.links.get(hexOf(openKeyLink(era.keys.label, keyLink, time.epoch)))
    } catch (error) {
      if (hasCode(error, 'fieldcrypt.corrupt')) return undefined // not written by ingest
      throw error
    }
  }
}

const hexOf = (link: Uint8Array): string => Buffer.from(link).toString('hex')

/** @throws Refusal `unavailable` */
export function keyFieldLinks(keys: EraKeys, value: string): Uint8Array[] {
  try {
    return linksOf(keys, value)
  } catch (error) {
    if (hasCode(error, 'fieldcrypt.key_unavailable')) throw unreadableLink()
    throw error
  }
}

function reachOf(
  keys: EraKeys,
  link: Uint8Array,
  levels: readonly number[],
): Pick<KnownLink, 'isErased' | 'withdrawn'> {
  // Without levels a person can only be erased completely.
  const paths = levels.length === 0 ? prefixesOf(link) : prefixesOf(link, levels)
  const isErased = paths.every((path) => keys.tree.find(path) === 'erased')
  const withdrawn = keys.withdrawn(link)
  if (withdrawn === undefined) throw unreadableLink()
  return { isErased, withdrawn: isErased ? [] : withdrawn }
}

export const unreadableLink = () =>
  refusal('unavailable', 'The keys of an era cannot be read now; try again')

// Forgetting a data subject (docs/forgetting.md): every link that was kept of it goes, in the same change that erases a
// person by a value of the key field. Where the links are found is the caller's; the value is put nowhere.
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import { levelOfPart, prefixesOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { acceptErasure, newSalt, subjectOf } from './erase.ts'
import type { Asked, Erased, Erasing } from './erase.ts'
import { contractsBy } from './erasure-contracts.ts'
import type { ErasureContracts } from './erasure-contracts.ts'
import type { Contracts, InputStream, StateFollower } from '@weir/control-state'

/** The links of a data subject, by era. */
export type LinksByEra = ReadonlyMap<number, readonly Uint8Array[]>

export type EraseSubjectRequest = {
  /** Whose links they are: a re-created name is another stream. */
  readonly stream: InputStream
  readonly subject: string
  readonly links: LinksByEra
} & Asked

/** Accepted, once it resolves. @throws Refusal `no_such_subject` */
export async function eraseSubject(
  deps: Erasing,
  { stream, subject, links, ...more }: EraseSubjectRequest,
): Promise<Erased> {
  const { name } = stream
  if (links.size === 0) throw noSuchSubject(name)
  const salt = newSalt()
  const erasure = await acceptErasure(deps, {
    stream,
    as: 'data_subject_field',
    subjects: [subjectOf(salt, subject)],
    linksIn: ({ era }) => links.get(era) ?? [],
    counted: Math.max(...[...links.values()].map((inEra) => inEra.length)),
    check(_draft, { changesNothing }) {
      // It isn't counted before it is taken, so one that changes nothing must leave no record either.
      if (changesNothing) throw nothingAtLevel(name, more.fromLevel)
    },
    ...more,
  })
  return { erasure, salt }
}

/** @throws Refusal `no_data_subject_field`: where none names one, nothing can be said of a data subject */
export function requireSubjectContracts(
  state: Pick<Contracts, 'contractsOf'>,
  stream: InputStream,
): ErasureContracts {
  const contracts = contractsBy('data_subject_field', state.contractsOf(stream.billingId))
  if (contracts.naming.length === 0) throw noDataSubjectField(stream.name)
  return contracts
}

/** The eras of which links may have been kept, and may still be read. */
export function subjectEras(
  { keyStore }: Pick<StateFollower, 'keyStore'>,
  { billingId, streamId }: InputStream,
): number[] {
  const eras = new Set<number>()
  const prefix = `${billingId}/${streamId}/`
  for (const key of keyStore.under(prefix)) {
    const [era, part] = key.slice(prefix.length).split('/')
    if (part === 'link') eras.add(Number(era))
  }
  return [...eras].sort((a, b) => a - b)
}

/** Says whether anything that was sealed for a link in an era may still be opened, at some level. */
export function openableIn(
  { keyStore }: Pick<StateFollower, 'keyStore'>,
  { billingId, streamId }: InputStream,
  { era, tree }: EraKeys,
): (link: Uint8Array) => boolean {
  const prefix = `${billingId}/${streamId}/${era}/`
  const levels = [...keyStore.under(prefix)].flatMap(
    (key) => levelOfPart(key.slice(prefix.length)) ?? [],
  )
  return (link) => prefixesOf(link, levels).some((path) => tree.find(path) !== 'erased')
}

/** What is there of a subject is known by its links alone, so one that isn't kept can't be erased. */
const noSuchSubject = (name: string): Refusal =>
  refusal(
    'no_such_subject',
    `No event of this data subject in the stream ${name} can be decrypted: there never was an event with this value in a data ` +
      'subject field, or the data subject was erased, or the keys of the events have expired',
  )

const nothingAtLevel = (name: string, fromLevel = 0): Refusal =>
  refusal(
    'no_such_subject',
    `Nothing of this data subject can be decrypted at level ${fromLevel} or above in the stream ${name}: it was already withdrawn or erased, or there is no such level`,
  )

const noDataSubjectField = (name: string): Refusal =>
  refusal(
    'no_data_subject_field',
    `No contract of the account has a data_subject_field, so Weir does not know which events of the stream ${name} are about ` +
      'which data subject. The stream may still contain such events. Erase by values of the key field instead, or publish a ' +
      'contract with data_subject_field for future events',
  )

// The data subjects of a stream: the contracts that name them, the eras that may have links of them, and whether fields
// under a link can still be decrypted.
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import { prefixesOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { contractsBy } from './erasure-contracts.ts'
import type { ErasureContracts } from './erasure-contracts.ts'
import { levelsInEra } from '@weir/control-state'
import type { Contracts, InputStream, StateFollower } from '@weir/control-state'

/** @throws Refusal `no_data_subject_field`: without such a field, Weir stores nothing about data subjects */
export function requireSubjectContracts(
  state: Pick<Contracts, 'contractsOf'>,
  stream: InputStream,
): ErasureContracts {
  const contracts = contractsBy(['data_subject_field'], state.contractsOf(stream.billingId))
  if (contracts.naming.length === 0) throw noDataSubjectField(stream.name)
  return contracts
}

/** The eras that may have links which can still be read. */
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

/** Returns whether fields under a link in this era can still be decrypted, at any level. */
export function openableIn(
  { keyStore }: Pick<StateFollower, 'keyStore'>,
  { billingId, streamId }: InputStream,
  { era, tree }: EraKeys,
): (link: Uint8Array) => boolean {
  const levels = levelsInEra(keyStore, { billingId, streamId, era })
  return (link) => prefixesOf(link, levels).some((path) => tree.find(path) !== 'erased')
}

const noDataSubjectField = (name: string): Refusal =>
  refusal(
    'no_data_subject_field',
    `No contract of the account has a data_subject_field, so Weir does not know which events of the stream ${name} are about ` +
      'which data subject. The stream may still contain such events. Erase by values of the key field instead, or publish a ' +
      'contract with data_subject_field for future events',
  )

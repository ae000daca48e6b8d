// The data subjects of a stream: the contracts that name them, the terms in which they may have links, and whether
// fields under a link can still be decrypted.
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import { prefixesOf } from '@weir/fieldcrypt'
import type { TermKeys } from '@weir/fieldcrypt'
import { contractsBy } from './erasure-contracts.ts'
import type { ErasureContracts } from './erasure-contracts.ts'
import { keyRecordName, levelsInTerm } from '@weir/control-state'
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

/** Returns the terms with a `link` key record: only their links can still be read. */
export function subjectTerms(
  { keyStore }: Pick<StateFollower, 'keyStore'>,
  { billingId, streamId }: InputStream,
): number[] {
  const terms = new Set<number>()
  for (const key of keyStore.under(`${billingId}/${streamId}/t`)) {
    const { term, part } = keyRecordName(key) ?? {}
    if (term !== undefined && part === 'link') terms.add(term)
  }
  return [...terms].sort((a, b) => a - b)
}

/** Returns a function that says whether fields under a link can still be decrypted at any level. */
export function openableIn(
  { keyStore }: Pick<StateFollower, 'keyStore'>,
  { billingId, streamId }: InputStream,
  { term, tree }: TermKeys,
): (link: Uint8Array) => boolean {
  const levels = levelsInTerm(keyStore, { billingId, streamId, term })
  return (link) => prefixesOf(link, levels).some((path) => tree.find(path) !== 'erased')
}

const noDataSubjectField = (name: string): Refusal =>
  refusal(
    'no_data_subject_field',
    `No contract of the account has a data_subject_field, so Weir does not know which events of the stream ${name} are about ` +
      'which data subject. The stream may still contain such events. Erase by values of the key field instead, or publish a ' +
      'contract with data_subject_field for future events',
  )

// `weir.subjects`: the links of a data subject in a term (docs/keys.md, Data subjects). The record keys contain all the
// data. Without the term's key record `link`, nobody can tell which person a record belongs to. No I/O.
import type { LinkKeys } from '@weir/fieldcrypt'
import { createForm, parserOf, storedAs } from '../forms/form.ts'

export const subjectsTopic = 'weir.subjects'
/** Must never change, because a subject's records are searched only in the subject's partition. */
export const subjectsPartitions = 12

const dayMs = 86_400_000
/**
 * A link is written only once per term (384 days), but events of the term's last era (32 days) still need it. One day
 * is added for clock differences and the clean-up.
 */
export const subjectsRetentionMs = (keyRetentionDays: number): number =>
  (keyRetentionDays + 384 + 33) * dayMs

type Term = { readonly streamId: string; readonly term: number }

export const subjectPrefix = ({ streamId, term }: Term, hash: Buffer): string =>
  `${streamId}/t${term}/${hash.toString('hex')}/`

export const subjectKeyOf = (term: Term, hash: Buffer, sealedLink: Buffer): string =>
  subjectPrefix(term, hash) + sealedLink.toString('hex')

export const subjectPartitionOf = (hash: Buffer): number =>
  hash.readUInt32BE(0) % subjectsPartitions

/**
 * Decrypts the link in a record key. Returns undefined if the record belongs to another data subject.
 * @throws FieldcryptError `fieldcrypt.corrupt`
 */
export function linkIn(key: string, prefix: string, keys: LinkKeys): Uint8Array | undefined {
  if (!key.startsWith(prefix)) return undefined
  return keys.openLink(Buffer.from(key.slice(prefix.length), 'hex'))
}

const form = createForm('subject-link', () => ({}))
const parse = parserOf(subjectsTopic, [form])
/** All records have the same value, because the key contains all the data. */
export const subjectLinkValue = storedAs(form, {})
/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export function checkSubjectLink(key: string, value: Buffer): void {
  if (!value.equals(subjectLinkValue)) parse(key, value)
}

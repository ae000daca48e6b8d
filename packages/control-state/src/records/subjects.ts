// `weir.subjects`: the links of a data subject in an era (docs/keys.md, Data subjects). The record keys contain all the
// data. Without the era's key record `link`, nobody can tell which person they belong to. Pure.
import type { LinkKeys } from '@weir/fieldcrypt'
import { createForm, parserOf, storedAs } from '../forms/form.ts'

export const subjectsTopic = 'weir.subjects'
/** Must never change, because a subject's records are searched only in the subject's partition. */
export const subjectsPartitions = 12

const dayMs = 86_400_000
/** An era of 32 days, plus a day for clocks and the clean-up. So a link outlives its era's keys. */
export const subjectsRetentionMs = (keyRetentionDays: number): number =>
  (keyRetentionDays + 33) * dayMs

type Era = { readonly streamId: string; readonly era: number }

export const subjectPrefix = ({ streamId, era }: Era, hash: Buffer): string =>
  `${streamId}/${era}/${hash.toString('hex')}/`

export const subjectKeyOf = (era: Era, hash: Buffer, sealedLink: Buffer): string =>
  subjectPrefix(era, hash) + sealedLink.toString('hex')

export const subjectPartitionOf = (hash: Buffer): number =>
  hash.readUInt32BE(0) % subjectsPartitions

/**
 * The link in a record's key. Undefined if the record belongs to another subject.
 * @throws FieldcryptError `fieldcrypt.corrupt`
 */
export function linkIn(key: string, prefix: string, keys: LinkKeys): Uint8Array | undefined {
  if (!key.startsWith(prefix)) return undefined
  return keys.openLink(Buffer.from(key.slice(prefix.length), 'hex'))
}

const form = createForm('subject-link', () => ({}))
const parse = parserOf(subjectsTopic, [form])
/** The value of all these records is the same, because the key contains all the data. */
export const subjectLinkValue = storedAs(form, {})
/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export function checkSubjectLink(key: string, value: Buffer): void {
  if (!value.equals(subjectLinkValue)) parse(key, value)
}

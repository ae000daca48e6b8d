// `weir.subjects`: which links a data subject has in an era (docs/keys.md, Data subjects). The keys contain everything.
// Nobody without the era's key record `link` can tell whose they are. Pure.
import type { LinkKeys } from '@weir/fieldcrypt'
import { createForm, parserOf, storedAs } from '../forms/form.ts'

export const subjectsTopic = 'weir.subjects'
/** Never changes: a subject's records are searched only in its partition. */
export const subjectsPartitions = 12

const dayMs = 86_400_000
/** An era of 32 days, and a day for clocks and clean-up: what is written in an era's first hour outlives its keys. */
export const subjectsRetentionMs = (keyRetentionDays: number): number =>
  (keyRetentionDays + 33) * dayMs

type Era = { readonly streamId: string; readonly era: number }

/** The key prefix of all records of a subject in an era. */
export const subjectPrefix = ({ streamId, era }: Era, hash: Buffer): string =>
  `${streamId}/${era}/${hash.toString('hex')}/`

export const subjectKeyOf = (era: Era, hash: Buffer, sealedLink: Buffer): string =>
  subjectPrefix(era, hash) + sealedLink.toString('hex')

export const subjectPartitionOf = (hash: Buffer): number =>
  hash.readUInt32BE(0) % subjectsPartitions

/**
 * The link that a record names; undefined for another subject's record. @throws FieldcryptError `fieldcrypt.corrupt`
 */
export function linkIn(key: string, prefix: string, keys: LinkKeys): Uint8Array | undefined {
  if (!key.startsWith(prefix)) return undefined
  return keys.openLink(Buffer.from(key.slice(prefix.length), 'hex'))
}

const form = createForm('subject-link', () => ({}))
const parse = parserOf(subjectsTopic, [form])
/** The same for all records: the key contains everything. */
export const subjectLinkValue = storedAs(form, {})
/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export function checkSubjectLink(key: string, value: Buffer): void {
  if (!value.equals(subjectLinkValue)) parse(key, value)
}

// Why a record can't be derived, and the words for it that people read: in the header of a dead record, in answers, as the
// label of a metric.
import type { ContractsErrorCode } from '@weir/contracts'
import type { FieldcryptErrorCode } from '@weir/fieldcrypt'
import { AppError } from '@weir/kit'
import type { RegistryErrorCode } from '@weir/schema-registry'

export type DeriveErrorCode =
  | 'derive.corrupt'
  | 'derive.no_such_era'
  /** A key is missing: wait and try again. */
  | 'derive.not_known_yet'
  | 'derive.unknown_contract'

export class DeriveError extends AppError<DeriveErrorCode> {}

type InternalCode = DeriveErrorCode | ContractsErrorCode | FieldcryptErrorCode | RegistryErrorCode

const words = {
  'derive.corrupt': 'corrupt',
  'derive.no_such_era': 'no_such_era',
  'derive.not_known_yet': 'not_known_yet',
  'derive.unknown_contract': 'unknown_contract',
  'contracts.undecodable': 'undecodable',
  'fieldcrypt.corrupt': 'corrupt',
  'fieldcrypt.key_unavailable': 'key_unavailable',
  'fieldcrypt.record_unreadable': 'record_unreadable',
  'registry.not_framed': 'not_framed',
} as const satisfies Partial<Record<InternalCode, string>>

export type Reason = (typeof words)[keyof typeof words] | 'unexpected'
const reasons: ReadonlyMap<string, Reason> = new Map(Object.entries<Reason>(words))

export const reasonOf = (error: unknown): Reason =>
  (error instanceof AppError ? reasons.get(error.code) : undefined) ?? 'unexpected'

/** The same for a round of records that failed; Kafka's faults keep their own codes. */
export function failureOf(error: unknown): string {
  const reason = reasonOf(error)
  return reason === 'unexpected' && error instanceof AppError ? error.code : reason
}

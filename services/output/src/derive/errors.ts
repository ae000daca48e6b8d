// Why a record can't be derived, and the names of the reasons in headers of dead-lettered records, in responses and in
// metric labels.
import type { ContractsErrorCode } from '@weir/contracts'
import type { FieldcryptErrorCode } from '@weir/fieldcrypt'
import { AppError } from '@weir/kit'
import type { RegistryErrorCode } from '@weir/schema-registry'

export type DeriveErrorCode =
  | 'derive.corrupt'
  /** Another replica owns the partition, or the stream must not be derived any more. */
  | 'derive.may_not_own'
  | 'derive.no_such_era'
  /** A key is missing: wait and try again. */
  | 'derive.not_known_yet'
  /** The position of a partition is lost: wait, and report the error. */
  | 'derive.position_lost'
  | 'derive.unknown_contract'

export class DeriveError extends AppError<DeriveErrorCode> {}

export const notKnownYet = (what: string): DeriveError =>
  new DeriveError('derive.not_known_yet', `${what} is not known yet`)

type InternalCode = DeriveErrorCode | ContractsErrorCode | FieldcryptErrorCode | RegistryErrorCode

const words = {
  'derive.corrupt': 'corrupt',
  'derive.may_not_own': 'may_not_own',
  'derive.no_such_era': 'no_such_era',
  'derive.not_known_yet': 'not_known_yet',
  'derive.position_lost': 'position_lost',
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

/** Returns the reason why a batch failed. Errors of Kafka keep their own codes. */
export function failureOf(error: unknown): string {
  const reason = reasonOf(error)
  return reason === 'unexpected' && error instanceof AppError ? error.code : reason
}

/** A key is missing, or its record can't be read. The event is not the cause. */
export const waitReasons = [
  'not_known_yet',
  'key_unavailable',
  'record_unreadable',
] as const satisfies readonly Reason[]
/** Reasons that may disappear once control state is read further. */
export const changingReasons: readonly Reason[] = [
  ...waitReasons,
  'unknown_contract',
  'no_such_era',
]
const waiting: readonly Reason[] = waitReasons

export const waits = (reason: Reason): boolean => waiting.includes(reason)
export const mayChange = (reason: Reason): boolean => changingReasons.includes(reason)

const notWritten: readonly Reason[] = ['corrupt', 'not_framed', 'undecodable']

/** Returns the result of `open`, or undefined for a value that ingest did not write. */
export function unlessCorrupt<Result>(open: () => Result): Result | undefined {
  try {
    return open()
  } catch (error) {
    if (notWritten.includes(reasonOf(error))) return undefined
    throw error
  }
}

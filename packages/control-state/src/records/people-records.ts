// Records about people: searches with their results, and tokens for downloads.

/** Whether values are compared with the contracts' key fields or with their data subject fields. */
export type ErasureTerm = 'key_field' | 'data_subject_field'

/**
 * A search for a person in the streams of an account. The record doesn't reveal the person: only the caller has the id
 * that decrypts the value.
 */
export type SearchRecord = {
  readonly type: 'search'
  readonly searchHash: string
  /** AES-256-GCM, base64url. */
  readonly sealedValue: string
  readonly billingId: string
  readonly startedAtMs: number
  /** When the searching replica last wrote the record. If this is too long ago, the search has failed. */
  readonly seenAtMs: number
  /** The number of records that were read so far, in all topics; `total` is the number of all records. */
  readonly scanned: number
  readonly total: number
  /** Set when the search is finished. */
  readonly streams?: readonly FoundInStream[]
}

/** The result of a search in an input stream, its outputs and their dead letter topics. */
export type FoundInStream = {
  readonly stream: string
  readonly by: readonly FoundBy[]
  /** The consent levels of the input events that were found, as sent. Undefined if there are no events. */
  readonly consent?: readonly FoundConsent[]
  /** Set if all input events that were found are erased. */
  readonly erased?: true
  /** The levels that were withdrawn for these events. */
  readonly withdrawn?: readonly number[]
  readonly held: readonly HeldIn[]
  /** Why the stream, or a part of it, was not searched. */
  readonly notSearched?: string
}

/** The input events of one contract that were found by this field. Times are ISO 8601. */
export type FoundBy = {
  readonly contract: string
  readonly field: string
  readonly as: ErasureTerm
  readonly events: number
  readonly firstAt: string
  readonly lastAt: string
}

/** The number of events that were sent with a consent level. */
export type FoundConsent = { readonly level: number; readonly events: number }

/** A topic that was searched. */
export type HeldIn = {
  /** The name of the stream, or of the output that the topic belongs to. */
  readonly name: string
  /** `dead`: dead letters of an output; `deleted`: a deleted output whose topic still exists. */
  readonly kind: 'input' | 'output' | 'dead' | 'deleted'
  readonly events: number
  /** For inputs: how many of the events can't be decrypted any more. */
  readonly erased?: number
  /** The fields that are decrypted in at least one of the events. */
  readonly fields: readonly DecryptedField[]
  /** When Kafka will have removed all of these events: ISO 8601, or `unknown`. */
  readonly until?: string
  /** The reason, if `until` is unknown. */
  readonly because?: string
}

/** A personal field, and its level in this contract. */
export type DecryptedField = {
  readonly contract: string
  readonly field: string
  readonly level: number
}

/** The input events that a search found before an erasure, for the values of the erasure. */
export type FoundPeople = {
  /** The number of values that have events. */
  readonly values: number
  readonly events: number
  readonly by: readonly FoundBy[]
  /** The outputs whose topics the search covered. */
  readonly outputs?: readonly FoundInOutput[]
  /** Why a part of the stream was not searched. */
  readonly notSearched?: string
  readonly searchedAtMs: number
}

export type FoundInOutput = Pick<HeldIn, 'name' | 'events'> & {
  /** The levels of the decrypted fields. */
  readonly levels: readonly number[]
}

/**
 * A token for one download of a person's events, valid for minutes. The record doesn't reveal the person: only the
 * caller has the token that decrypts the person.
 */
export type SubjectAccessRecord = {
  readonly type: 'subject-access'
  readonly accessHash: string
  /** AES-256-GCM, base64url: see `sealPerson`. */
  readonly sealedPerson: string
  readonly billingId: string
  readonly streamId: string
  /** The permitted event times, from `fromMs` (inclusive) until `untilMs` (exclusive). */
  readonly fromMs?: number
  readonly untilMs?: number
  readonly expiresAtMs: number
  /** The API key that requested the token. */
  readonly askedBy: { readonly keyId: string; readonly name: string }
}

export type PeopleRecord = SearchRecord | SubjectAccessRecord

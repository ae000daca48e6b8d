// Searches for people, and their results.

/** Whether values are compared with the contracts' key fields or with their data subject fields. */
export type ErasureTerm = 'key_field' | 'data_subject_field'

/**
 * A search for a person in the streams of an account. It doesn't reveal the person: decrypting the value needs the id
 * that the caller was given, and only a hash of this id is stored.
 */
export type SearchRecord = {
  readonly type: 'search'
  readonly searchHash: string
  /** AES-256-GCM, base64url. */
  readonly sealedValue: string
  readonly billingId: string
  readonly startedAtMs: number
  /** The searching replica updates it every few seconds, so that the others notice when that replica is gone. */
  readonly seenAtMs: number
  /** The number of records in all topics together: those that were read, and all. */
  readonly scanned: number
  readonly total: number
  /** Set when the search is finished. */
  readonly streams?: readonly FoundInStream[]
}

/** The result of a search in an input stream, its outputs and their dead letter topics. */
export type FoundInStream = {
  readonly stream: string
  readonly by: readonly FoundBy[]
  /** The consent levels that the events in the input were sent with; undefined without events. */
  readonly consent?: readonly FoundConsent[]
  /** No event in the input can be decrypted any more. */
  readonly erased?: true
  /** Levels at which the events that are not erased can't be decrypted any more. */
  readonly withdrawn?: readonly number[]
  readonly held: readonly HeldIn[]
  /** Why the stream, or a part of it, was not searched. */
  readonly notSearched?: string
}

/** Events of the input, by the contract and the field that names the person. Times are ISO 8601. */
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

/** A personal field. In another contract it may have another level. */
export type DecryptedField = {
  readonly contract: string
  readonly field: string
  readonly level: number
}

/** Events that a search in the input stream found for the values of an erasure. */
export type FoundPeople = {
  /** The number of values that the events belong to. */
  readonly values: number
  readonly events: number
  readonly by: readonly FoundBy[]
  /** The outputs whose topics were searched, too. */
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
 * A token for one download of a person's events, valid for minutes. The record doesn't reveal the person: decrypting
 * the person needs the token, and only a hash of the token is stored.
 */
export type SubjectAccessRecord = {
  readonly type: 'subject-access'
  readonly accessHash: string
  /** AES-256-GCM, base64url: see `sealPerson`. */
  readonly sealedPerson: string
  readonly billingId: string
  readonly streamId: string
  /** A range of event times; `fromMs` is inclusive, `untilMs` is exclusive. */
  readonly fromMs?: number
  readonly untilMs?: number
  readonly expiresAtMs: number
  /** The API key that requested it, as the audit log names it. */
  readonly askedBy: { readonly keyId: string; readonly name: string }
}

export type PeopleRecord = SearchRecord | SubjectAccessRecord

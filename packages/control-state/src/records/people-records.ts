// Searches for people, and their results.

/** Whether the values are of the contracts' key fields, or are data subjects, by the contracts' data subject fields. */
export type ErasureTerm = 'key_field' | 'data_subject_field'

/**
 * A search for a person in the streams of an account. It does not say for whom: decrypting the value needs the id that
 * the caller was given, of which only a hash is stored.
 */
export type SearchRecord = {
  readonly type: 'search'
  readonly searchHash: string
  /** AES-256-GCM, base64url. */
  readonly sealedValue: string
  readonly billingId: string
  readonly startedAtMs: number
  /** Updated by the replica that searches every few seconds, so that others notice when it is gone. */
  readonly seenAtMs: number
  /** Records of all topics together: how many were read, and how many there are. */
  readonly scanned: number
  readonly total: number
  /** Set once the search is done. */
  readonly streams?: readonly FoundInStream[]
}

/** What a search has found in an input stream, its outputs and their dead letter topics. */
export type FoundInStream = {
  readonly stream: string
  readonly by: readonly FoundBy[]
  /** Nobody can decrypt any of the events in the input any more. */
  readonly erased?: true
  /** The levels at which nobody can decrypt the events that are not erased. */
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

/** A topic that was searched. */
export type HeldIn = {
  /** The name of the stream, or of the output that the topic belongs to. */
  readonly name: string
  /** `dead`: dead letters of an output; `deleted`: a deleted output whose topic still exists. */
  readonly kind: 'input' | 'output' | 'dead' | 'deleted'
  readonly events: number
  /** For inputs: how many of them nobody can decrypt any more. */
  readonly erased?: number
  /** The fields that are decrypted in at least one of the events. */
  readonly decrypted: readonly string[]
  /** When Kafka will have removed all of them: ISO 8601, or `unknown`. */
  readonly until?: string
  /** Why that is unknown. */
  readonly because?: string
}

/** Events of the input stream that a search found for the values of an erasure. */
export type FoundPeople = {
  /** How many of the values they belong to. */
  readonly values: number
  readonly events: number
  readonly by: readonly FoundBy[]
  readonly searchedAtMs: number
}

/**
 * A token with which the events of one person can be downloaded once, within minutes. It does not say whose: decrypting
 * the links needs the token, of which only a hash is stored.
 */
export type SubjectAccessRecord = {
  readonly type: 'subject-access'
  readonly accessHash: string
  /** AES-256-GCM, base64url, of `LinksByEra` as JSON. */
  readonly sealedLinks: string
  readonly billingId: string
  readonly streamId: string
  /** The events' own time; `fromMs` is inclusive, `untilMs` is exclusive. */
  readonly fromMs?: number
  readonly untilMs?: number
  readonly expiresAtMs: number
  /** The API key that requested it, as the audit log names it. */
  readonly askedBy: { readonly keyId: string; readonly name: string }
}

// The record types of `weir.control` and their keys, as plain data. control-forms.ts says how they are stored. A change
// always writes whole records. Secrets are stored only as SHA-256 hashes.
import type { Validation } from '@weir/contracts'
import type { Role } from '../roles.ts'
import type { ErasureTerm, FoundPeople, PeopleRecord } from './people-records.ts'
import type { ConsentPurpose } from './purposes.ts'
import type { Quotas } from './quotas.ts'
import type { RestoreRecord } from './restore-record.ts'
import type { AuditHeadRecord } from '../audit/audit.ts'

export type Scope = 'send' | 'listen'

export type Credential = {
  /** A UUID, unique over all accounts. */
  readonly clientId: string
  /** SHA-256 of the clientSecret, hex. */
  readonly secretHash: string
  readonly scope: readonly Scope[]
  readonly createdAtMs: number
}

export type ApiKeyRecord = {
  /** The first 12 digits of the hash. They identify the key within its account, and don't authenticate. */
  readonly keyId: string
  /** SHA-256 of the key, hex. */
  readonly hash: string
  readonly name: string
  readonly role: Role
  readonly createdAtMs: number
  readonly expiresAtMs?: number
}

export type AccountRecord = {
  readonly type: 'account'
  readonly billingId: string
  readonly apiKeys: readonly ApiKeyRecord[]
  readonly createdAtMs: number
  /** Contains only the quotas that the platform has set. */
  readonly quotas?: Partial<Quotas>
  /** Sorted by level. */
  readonly purposes?: readonly ConsentPurpose[]
}

export type KeyHolder = { readonly account: AccountRecord; readonly apiKey: ApiKeyRecord }

/** See docs/architecture.md 11. A `deleting` stream exists only until its clean-up is complete. */
export type StreamState = 'creating' | 'ready' | 'deleting'

/** Until `untilMs`, only this replica of auth works on a clean-up, a rotation or an erasure. */
export type ReplicaLease = { readonly replica: string; readonly untilMs: number }

export type Limits = { readonly eventRate: string; readonly eventCount: string }

type StreamCommon = {
  readonly type: 'stream'
  readonly billingId: string
  readonly name: string
  /** A UUID that is never reused. So a new stream with an old name has other keys. */
  readonly streamId: string
  readonly state: StreamState
  readonly stateSinceMs: number
  readonly enabled: boolean
  readonly tags: readonly string[]
  readonly credentials: readonly Credential[]
  readonly partitions: number
  /** How long the stream's topics keep a record. If absent, the broker's setting applies. */
  readonly retentionHours?: number | undefined
  readonly createdAtMs: number
  /** Set if the stream was never ready before its deletion. */
  readonly neverReady?: true
  readonly cleaner?: ReplicaLease
}

export type InputStream = StreamCommon & {
  readonly kind: 'input'
  readonly limits: Limits
  readonly rotationHours: number
  readonly keyRetentionDays: number
  /** When keys of an era were last removed because of their age. */
  readonly keysExpiredAtMs?: number
  /**
   * Until this time, readers may still use keys that they got under a longer `keyMaxAgeSeconds`, or for a deleted
   * output.
   */
  readonly keysLentUntilMs?: number
}

export type ConsentLevelType = 'CUMULATIVE' | 'GRANULAR'

/** The state of a rebuild: the output is derived again from the events that its input still has. */
export type Rebuild = {
  /** The number of rebuilds requested so far. */
  readonly number: number
  readonly askedAtMs: number
  /**
   * The first offsets of the output's topics after the older records were removed. Until `cut` is set, no replica
   * derives the output.
   */
  readonly cut?: LogStarts & { readonly atMs: number }
}

/** One decimal offset for each partition of the derived and of the dead letter topic. */
export type LogStarts = { readonly derived: readonly string[]; readonly dead: readonly string[] }

export type DerivedStream = StreamCommon & {
  readonly kind: 'derived'
  readonly linkedStream: string
  readonly linkedStreamId: string
  readonly consentLevels: readonly number[]
  readonly consentLevelType: ConsentLevelType
  readonly decrypterName: string
  readonly from: 'earliest' | 'now'
  /** The first input offset to derive, one decimal number per partition. Set when the stream is ready. */
  readonly startOffsets?: readonly string[]
  readonly rebuild?: Rebuild
  /**
   * How long a reader may keep a key. Set only if the output's readers decrypt, not Weir (docs/keys.md, Keys for
   * readers).
   */
  readonly keyMaxAgeSeconds?: number
}

/** Whether the output's readers decrypt its fields, not Weir. */
export const isDecryptedByReaders = ({
  keyMaxAgeSeconds,
}: Pick<DerivedStream, 'keyMaxAgeSeconds'>): boolean => keyMaxAgeSeconds !== undefined

/** Whether a rebuild must still remove the output's old records. */
export const isRebuilding = ({ rebuild }: Pick<DerivedStream, 'rebuild'>): boolean =>
  rebuild !== undefined && rebuild.cut === undefined

export type StreamRecord = InputStream | DerivedStream

export type ContractRecord = {
  readonly type: 'contract'
  readonly billingId: string
  readonly id: string
  readonly status: 'active' | 'archived'
  readonly schemaRegistryRef: string
  /** The registry's subject: the part of `schemaRegistryRef` before the slash. */
  readonly subject: string
  readonly registryId: number
  /** The version of the schema in its subject. */
  readonly registryVersion: number
  readonly schemaText: string
  readonly validations: readonly Validation[]
  readonly keyField: string
  readonly piiFields: Readonly<Record<string, number>>
  readonly dataSubjectField?: string
  readonly createdAtMs: number
}

/** The public half of a key that signs tokens; the private half is in `weir.keys` under `_signing/<kid>`. */
export type SigningKeyRecord = {
  readonly type: 'signing-key'
  readonly kid: string
  readonly publicJwk: Readonly<Record<string, unknown>>
  readonly signsFromMs: number
  readonly signsUntilMs: number
  readonly publishedUntilMs: number
}

/**
 * The last key rotation. It creates new versions of all wrapping keys, under the newest KEKs, and wraps every key
 * record again. The versions in the key records show its progress.
 */
export type RotationRecord = {
  readonly type: 'rotation'
  readonly rotationId: string
  readonly startedAtMs: number
  /** The new version of each wrapping key. */
  readonly rings: Readonly<Record<string, number>>
  /** The number of key records to wrap again. */
  readonly parts: number
  readonly finishedAtMs?: number
  readonly worker?: ReplicaLease
  /** KEKs that no longer wrap any wrapping key. */
  readonly unusedKeks: readonly UnusedKek[]
}
export type UnusedKek = { readonly kek: string; readonly sinceMs: number }
/** The public half of a key that signs receipts; the private half is in `weir.keys` under `_receipt/<kid>`. */
export type ReceiptKeyRecord = {
  readonly type: 'receipt-key'
  readonly kid: string
  readonly publicJwk: Readonly<Record<string, unknown>>
  readonly receiptsFromMs: number
}

/** The owner of a registry subject: the first account with a contract for this subject. */
export type SubjectRecord = {
  readonly type: 'subject-owner'
  readonly subject: string
  readonly ownerBillingId: string
}

/**
 * The erasure of a person or, with `isWithdrawal`, the withdrawal of a consent (docs/forgetting.md). The record doesn't
 * reveal the person: `subjects` are useless without the salt, which only the caller has.
 */
export type ErasureRecord = {
  readonly type: 'erasure'
  readonly erasureId: string
  readonly billingId: string
  readonly streamId: string
  /** The kinds of the values: see `ErasureTerm`. */
  readonly as: readonly ErasureTerm[]
  /** HMAC-SHA-256(salt, value) of each value, base64url. */
  readonly subjects: readonly string[]
  /** The events that a search found before the erasure. */
  readonly found: FoundPeople
  /** The number of values that count for ERASURES_MAX. */
  readonly counted: number
  /** Set for the withdrawal of levels. Otherwise the whole person is erased. */
  readonly isWithdrawal?: true
  /** The withdrawn levels. For an erasure, all levels for which the stream has keys. */
  readonly levels: readonly number[]
  /** The caller's name for the erasure, such as a ticket number. */
  readonly reference?: string
  /** The deadline for the response to the person, such as 2026-12-24. */
  readonly dueOn?: string
  /** The terms in which key records were changed. */
  readonly terms: readonly number[]
  /** The number of transactions that have removed links from trees. Each has a marker until the erasure is complete. */
  readonly pieces: number
  /** Set while some links are not removed yet. */
  readonly rest?: ErasureRest
  /** The KEKs with which a backup of the replaced key records could be decrypted. */
  readonly keks: readonly string[]
  readonly acceptedAtMs: number
  /** When every replica had read the erasure. Set only if readers may still have older keys. */
  readonly heardAtMs?: number
  readonly appliedAtMs?: number
  /** The outputs that decrypted one of the levels when the erasure was applied. */
  readonly outputs?: readonly OutputThen[]
  readonly complete?: ErasureScan & { readonly atMs: number }
  readonly destroyedAtMs?: number
}

export type OutputThen = {
  readonly streamId: string
  readonly name: string
  readonly levels: readonly number[]
}

export type ErasureRest = {
  /** The number of links to remove, counted once for each term; `done` of them are removed. */
  readonly links: number
  readonly done: number
  readonly worker?: ReplicaLease | undefined
}

/** A scan of the whole log of `weir.keys` that found no older version of the changed key records. */
export type ErasureScan = {
  readonly scannedAtMs: number
  /** The scan covered the log from the first offset to this one, on the broker `leader`. */
  readonly scannedTo: string
  readonly leader: number
}

/** The hour in which an API key was last used. */
export type KeyUseRecord = { readonly type: 'api-key-use'; readonly usedAtMs: number }

/** auth's position in `weir.accesses`: the next offset to read, decimal. */
export type AccessesRecord = { readonly type: 'accesses-position'; readonly nextOffset: string }

export type ControlRecord =
  | AccountRecord
  | StreamRecord
  | ContractRecord
  | SubjectRecord
  | SigningKeyRecord
  | AuditHeadRecord
  | RotationRecord
  | ErasureRecord
  | ReceiptKeyRecord
  | PeopleRecord
  | KeyUseRecord
  | AccessesRecord
  | RestoreRecord

export const controlTopic = 'weir.control'
export const keysTopic = 'weir.keys'

export const accountKey = (billingId: string): string => `account/${billingId}`
export const streamKey = (billingId: string, name: string): string => `stream/${billingId}/${name}`
export const contractKey = (billingId: string, id: string): string => `contract/${billingId}/${id}`
export const subjectKey = (subject: string): string => `subject/${subject}`
export const rotationKey = 'rotation/last'
export const erasureKey = (streamId: string, erasureId: string): string =>
  `erasure/${streamId}/${erasureId}`
export const searchKey = (billingId: string, searchHash: string): string =>
  `search/${billingId}/${searchHash}`
export const subjectAccessKey = (accessHash: string): string => `subject-access/${accessHash}`
export const receiptKeyKey = (kid: string): string => `receipt/${kid}`
export const keyUseKey = (billingId: string, keyId: string): string =>
  `key-use/${billingId}/${keyId}`
export const accessesKey = 'accesses/next'
export const signingKeyKey = (kid: string): string => `signing/${kid}`

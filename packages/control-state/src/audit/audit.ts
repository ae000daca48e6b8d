// The types of the audit log: who did which management or key action, when, on which target, and with which outcome.
// auth writes each entry in the transaction of its change. Missing or changed entries are detected (chain.ts,
// docs/audit.md). A target contains no secret, and no value of an event.
import type { Role } from '../roles.ts'

export type AuditAction =
  | 'account.create'
  | 'account.delete'
  | 'account.quotas'
  | 'account.purposes'
  | 'api-key.create'
  | 'api-key.delete'
  | 'stream.create'
  | 'stream.change'
  | 'stream.delete'
  /** The clean-up of a deleted stream has removed its topic, its record and its keys. */
  | 'stream.remove'
  | 'output.create'
  | 'output.change'
  | 'output.delete'
  | 'output.rebuild'
  | 'credentials.create'
  | 'credentials.delete'
  | 'contract.create'
  | 'contract.archive'
  | 'erasure.create'
  | 'erasure.change'
  /** Every replica has read the erasure, but readers may still have keys. */
  | 'erasure.heard'
  | 'erasure.applied'
  | 'erasure.complete'
  | 'erasure.destroyed'
  | 'erasure.receipt'
  | 'subject.lookup'
  /** A search for a person in streams of the account. */
  | 'people.search'
  /** A request for a token to download a person's events. */
  | 'subject.access'
  /** All `read.…` except `read.refused` and `read.lost`: personal data was read, or became readable (accesses.ts). */
  | 'read.preview'
  | 'read.dead'
  | 'read.watch'
  | 'read.token'
  | 'read.keys'
  | 'read.subject'
  /** A request that only reads was refused. */
  | 'read.refused'
  /** Dead-lettered records were derived again. */
  | 'dead.retry'
  /** Kafka removed notices before auth read them. `count` is their number. */
  | 'read.lost'
  | 'keys.era.create'
  | 'keys.expire'
  | 'keys.ring.create'
  | 'keys.rotate'
  | 'keys.rotated'
  | 'keys.signing.rotate'
  | 'keys.receipt.rotate'
  | 'backup.restore'
  /** The erasures since the backup were applied again. */
  | 'backup.reapplied'
  /** Refusals that have no entries of their own, because there were too many. `count` is their number. */
  | 'access.refused'
  /** Requests without a known API key. `count` is their number. */
  | 'access.denied'

export type Actor =
  | {
      readonly kind: 'account'
      readonly billingId: string
      readonly keyId: string
      readonly name: string
      readonly requestId: string
    }
  | {
      readonly kind: 'credentials'
      readonly billingId: string
      readonly clientId: string
      readonly requestId: string
    }
  | { readonly kind: 'platform'; readonly requestId: string }
  /** A reconcile loop of auth, without a request. */
  | { readonly kind: 'auth' }

/** Settings by name. Limits, due dates and titles of purposes are texts. */
export type Settings = Readonly<Record<string, string | number | boolean>>

export type AuditTarget = {
  /** The account that the target belongs to, and that can read the entry. */
  readonly account?: string
  readonly stream?: string
  readonly output?: string
  readonly contract?: string
  readonly clientId?: string
  readonly keyId?: string
  /** The name of an API key. */
  readonly name?: string
  readonly role?: Role
  readonly expiresAt?: string
  readonly erasure?: string
  readonly search?: string
  /** Input streams that were searched for a person; absent if all were. */
  readonly streams?: readonly string[]
  readonly levels?: readonly number[]
  /** The time of an access to personal data. The entry is written later. */
  readonly at?: string
  /** The number of values, links, key records or requests. */
  readonly count?: number
  /** The names of the members that a change set. */
  readonly changed?: readonly string[]
  /** The values of the changed members, before and after the change; of purposes, the titles by level. */
  readonly before?: Settings
  readonly after?: Settings
  /** The settings of a new output. */
  readonly consentLevelType?: string
  readonly from?: string
  readonly scope?: readonly string[]
  /** The route of a request that has no action of its own. */
  readonly route?: string
  readonly quotas?: Readonly<Record<string, number>>
  /** Derived streams that were deleted with their input. */
  readonly outputs?: readonly string[]
  readonly ring?: string
  readonly rings?: readonly string[]
  /** A KEK: provider, name and version. */
  readonly kek?: string
  readonly kid?: string
  /** The `kid`s of keys that no longer verify tokens. */
  readonly revoked?: readonly string[]
  readonly era?: number
  /** SHA-256 of records in `weir.erasures`. */
  readonly logged?: readonly string[]
  /** A restore may have undone erasures since this time. Absent if all erasures are known. */
  readonly erasuresLostSince?: string
}

/** A change that has an audit entry of its own. */
export type Audited = {
  readonly action: AuditAction
  readonly actor: Actor
  readonly target: AuditTarget
  /** Set if the entry is written even if the action changes nothing. */
  readonly always?: true
  /** The code of the refusal. A refused action changes nothing. */
  readonly refused?: string
}

/**
 * How a change of control state appears in the audit log. `Audited`: in its own entry. `partOf`: in the entry of
 * another change. `unlogged`: not at all, because no person acted. `read`: not at all; the change must put nothing.
 */
export type Change = Audited | { readonly partOf: AuditAction } | 'unlogged' | 'read'

export const act = (
  { actor }: { readonly actor: Actor },
  action: AuditAction,
  target: AuditTarget,
): Audited => ({ action, actor, target })

export const partOf = (action: AuditAction): Change => ({ partOf: action })

/** Number and hash of the newest entry. Stored in `weir.control`, and replaced with each entry. */
export type AuditHead = { readonly seq: number; readonly hash: string }
export type AuditHeadRecord = AuditHead & { readonly type: 'audit-head' }

export type AuditEntry = {
  readonly seq: number
  /** SHA-256 of the bytes of the previous entry. */
  readonly prev: string
  readonly time: string
  readonly by: Actor
  /** An AuditAction, of this or another release. */
  readonly action: string
  readonly target: AuditTarget
  readonly outcome: 'done' | 'refused'
  readonly code?: string
}

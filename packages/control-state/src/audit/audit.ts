// The audit log: who did which management or key action, when, on which target, and with which outcome. The fenced
// writer writes an entry in the transaction of the change. Each entry contains the SHA-256 of the previous entry, and
// control state contains that of the newest. So a gap, a change or a missing end is detected (docs/audit.md). Pure. A
// target contains only names and ids: never a secret, never a value of an event.
import type { Role } from '../roles.ts'

/** The actions of people and of auth. Each change names its action, or the action that it is part of. */
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
  /** No replica has the keys any more, but readers may. */
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
  /** Personal data was read, or became readable: see accesses.ts. */
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
  /** Kafka removed notices of readings before auth read them. `count` says how many. */
  | 'read.lost'
  | 'keys.era.create'
  | 'keys.expire'
  | 'keys.ring.create'
  | 'keys.rotate'
  | 'keys.rotated'
  | 'keys.signing.rotate'
  | 'keys.receipt.rotate'
  | 'backup.restore'
  /** The erasures since the backup are applied again. */
  | 'backup.reapplied'
  /** Refusals without an entry of their own, because there were too many. `count` says how many. */
  | 'access.refused'
  /** Requests without a known key. `count` says how many. */
  | 'access.denied'

export type Actor =
  /** An API key of an account. */
  | {
      readonly kind: 'account'
      readonly billingId: string
      readonly keyId: string
      readonly name: string
      readonly requestId: string
    }
  /** Credentials of a stream. */
  | {
      readonly kind: 'credentials'
      readonly billingId: string
      readonly clientId: string
      readonly requestId: string
    }
  | { readonly kind: 'platform'; readonly requestId: string }
  /** A reconcile loop, not a request. */
  | { readonly kind: 'auth' }

/** What people set: numbers and flags. Limits, due dates and titles of purposes are texts. */
export type Settings = Readonly<Record<string, string | number | boolean>>

export type AuditTarget = {
  /** The account that the target belongs to. It can see the entry. */
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
  /** The time of a reading. Its entry is written a moment later. */
  readonly at?: string
  /** The number of values, links, key records or requests. */
  readonly count?: number
  /** The names of the members that a change set. */
  readonly changed?: readonly string[]
  /** The values of the changed members, before and after the change; of purposes, the titles by level. */
  readonly before?: Settings
  readonly after?: Settings
  /** How an output uses its levels, and from which events it starts. */
  readonly consentLevelType?: string
  readonly from?: string
  /** What credentials permit. */
  readonly scope?: readonly string[]
  /** The route of a request that has no action of its own. */
  readonly route?: string
  /** The quotas that the platform has set. */
  readonly quotas?: Readonly<Record<string, number>>
  /** Derived streams that were deleted with their input. */
  readonly outputs?: readonly string[]
  readonly ring?: string
  readonly rings?: readonly string[]
  /** A KEK: provider, name and version. */
  readonly kek?: string
  readonly kid?: string
  /** Keys that no longer verify tokens. */
  readonly revoked?: readonly string[]
  readonly era?: number
  /** SHA-256 of records in `weir.erasures`. */
  readonly logged?: readonly string[]
  /** Erasures since this time may be undone by a restore, or `never`. Absent if all are known. */
  readonly erasuresLostSince?: string
}

/** A change that has an audit entry of its own. */
export type Audited = {
  readonly action: AuditAction
  readonly actor: Actor
  readonly target: AuditTarget
  /** The entry is written even if nothing changes, because the action itself matters. */
  readonly always?: true
  /** Why the action was refused. A refused action changes nothing. */
  readonly refused?: string
}

/**
 * The role of a control state change in the audit log. It is an action with an entry of its own, or part of an action
 * whose entry another change writes. `unlogged`: no person acted, so there is no entry. `read`: the change may change
 * nothing.
 */
export type Change = Audited | { readonly partOf: AuditAction } | 'unlogged' | 'read'

export const act = (
  { actor }: { readonly actor: Actor },
  action: AuditAction,
  target: AuditTarget,
): Audited => ({ action, actor, target })

export const partOf = (action: AuditAction): Change => ({ partOf: action })

/** The end of the chain. It is stored in `weir.control`, and written again with each entry. */
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

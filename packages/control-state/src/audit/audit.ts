// The audit log: who did which management or key action, when, to what, and how it ended. An entry is written by the
// fenced writer in the transaction of the change that it tells of. It holds the SHA-256 of the entry before it, and
// control state holds the newest one's, so a gap, a change or a missing end shows (docs/audit.md). Pure; a target has
// names and ids alone: never a secret, never a value of an event.
import type { Role } from '../roles.ts'

/** What people and auth itself may do. A change names one of these, or says which one it is a part of. */
export type AuditAction =
  | 'account.create'
  | 'account.quotas'
  | 'api-key.create'
  | 'api-key.delete'
  | 'stream.create'
  | 'stream.change'
  | 'stream.delete'
  /** The rest of a deleted stream is gone: its topic, its record, its keys. */
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
  | 'erasure.applied'
  | 'erasure.complete'
  | 'erasure.destroyed'
  | 'erasure.receipt'
  | 'subject.lookup'
  /** A person was looked for in streams of the account. */
  | 'people.search'
  /** A token to download a person's events was asked for. */
  | 'subject.access'
  /** Personal data was read, or could be from then on: see accesses.ts. */
  | 'read.preview'
  | 'read.dead'
  | 'read.watch'
  | 'read.token'
  | 'read.subject'
  /** A request that would have changed nothing was refused. */
  | 'read.refused'
  /** Dead-lettered records were derived again. */
  | 'dead.retry'
  /** How many notices of readings Kafka had removed before auth had seen them. */
  | 'read.lost'
  | 'keys.era.create'
  | 'keys.expire'
  | 'keys.ring.create'
  | 'keys.rotate'
  | 'keys.rotated'
  | 'keys.signing.rotate'
  | 'keys.receipt.rotate'
  | 'backup.restore'
  /** How many refusals had no entry of their own, since there were too many. */
  | 'access.refused'
  /** How many requests came without a key that is known. */
  | 'access.denied'

export type Actor =
  /** One of its API keys. */
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

/** Numbers and flags that people set, and limits, which are texts. */
export type Settings = Readonly<Record<string, string | number | boolean>>

export type AuditTarget = {
  /** Whose it is; that account sees the entry. */
  readonly account?: string
  readonly stream?: string
  readonly output?: string
  readonly contract?: string
  readonly clientId?: string
  readonly keyId?: string
  /** What an API key is called. */
  readonly name?: string
  readonly role?: Role
  readonly expiresAt?: string
  readonly erasure?: string
  readonly search?: string
  /** Input streams in which a person was looked for; without them it was all. */
  readonly streams?: readonly string[]
  readonly levels?: readonly number[]
  /** When a reading was: its entry is written a moment later. */
  readonly at?: string
  /** How many values, links, parts or requests it was about. */
  readonly count?: number
  /** The names of the members that a change has set. */
  readonly changed?: readonly string[]
  /** Values of such members, before the change and after it. */
  readonly before?: Settings
  readonly after?: Settings
  /** How an output uses its levels, and with which events it starts. */
  readonly consentLevelType?: string
  readonly from?: string
  /** What credentials are good for. */
  readonly scope?: readonly string[]
  /** What was asked for, where it is no action. */
  readonly route?: string
  /** What the platform has set. */
  readonly quotas?: Readonly<Record<string, number>>
  /** Derived streams that went with their input. */
  readonly outputs?: readonly string[]
  readonly ring?: string
  readonly rings?: readonly string[]
  /** A key of the KMS: provider, name and version. */
  readonly kek?: string
  readonly kid?: string
  /** Keys that no token is checked with any more. */
  readonly revoked?: readonly string[]
  readonly era?: number
}

/** A change with an entry of its own. */
export type Audited = {
  readonly action: AuditAction
  readonly actor: Actor
  readonly target: AuditTarget
  /** An entry also when nothing changes: the action itself is what matters. */
  readonly always?: true
  /** Why it was refused; it changes nothing then. */
  readonly refused?: string
}

/**
 * What a change of control state is to the audit log: an action with an entry of its own; a part of an action that
 * another change's entry stands for; `unlogged`: nobody's action, so no entry; `read`: it may change nothing.
 */
export type Change = Audited | { readonly partOf: AuditAction } | 'unlogged' | 'read'

export const act = (
  { actor }: { readonly actor: Actor },
  action: AuditAction,
  target: AuditTarget,
): Audited => ({ action, actor, target })

export const partOf = (action: AuditAction): Change => ({ partOf: action })

/** Where the chain ends: it lies in `weir.control`, written with each entry. */
export type AuditHead = { readonly seq: number; readonly hash: string }
export type AuditHeadRecord = AuditHead & { readonly type: 'audit-head' }

export type AuditEntry = {
  readonly seq: number
  /** SHA-256 of the bytes of the entry before. */
  readonly prev: string
  readonly time: string
  readonly by: Actor
  /** An AuditAction, of this release or another one. */
  readonly action: string
  readonly target: AuditTarget
  readonly outcome: 'done' | 'refused'
  readonly code?: string
}

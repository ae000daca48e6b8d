// What auth's changes to control state need, made once in auth's main.
import type { KekProvider } from '@weir/fieldcrypt'
import type { Log } from '@weir/kit'
import type { Admin } from '@weir/kafka'
import type { Actor } from '@weir/control-state'
import type { StateFollower } from '@weir/control-state'
import type { ReadAccess } from './acls/read-access.ts'
import type { WrappingKeys } from './keys/wrapping-keys.ts'
import type { Writer } from './writer.ts'

export type Stewardship = {
  readonly writer: Writer
  /** Who acts: a caller, or auth itself. For the audit log. */
  readonly actor: Actor
  readonly follower: StateFollower
  readonly admin: Admin
  /** What streams' credentials may read with Kafka clients of their own. */
  readonly access: ReadAccess
  readonly wrappingKeys: WrappingKeys
  readonly kek: KekProvider
  readonly log: Log
  /** The one clock of control state, epoch ms. */
  readonly now: () => number
  /** This replica of auth, for leases. */
  readonly replica: string
  /** As ingest has it: how long an accepted event may still be on its way to Kafka. */
  readonly produceTimeoutMs: number
  /** Replicas of a new topic; the broker's default when absent. */
  readonly topicReplication?: number | undefined
  /** How many erased values an account may have: erasure-bound.ts. */
  readonly erasuresMax: number
  /** Takes away what was counted of an input stream that is gone. */
  readonly forgetUsage?: (stream: { streamId: string; createdAtMs: number }) => Promise<void>
  /** Asks for a round of the clean-up without waiting for the next regular one. */
  readonly cleanUpSoon: () => void
  /** The same for a look at what credentials may read. */
  readonly accessSoon: () => void
  /** The same for a rotation of the keys. */
  readonly rotateSoon: () => void
  /** The same for erasures that are not complete yet. */
  readonly erasuresSoon: () => void
}

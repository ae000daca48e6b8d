// What auth's changes to control state need, made once in auth's main.
import type { Log } from '@weir/kit'
import type { Admin } from '@weir/kafka'
import type { StateFollower } from './follow.ts'
import type { Rings } from './rings.ts'
import type { Writer } from './writer.ts'

export type Stewardship = {
  readonly writer: Writer
  readonly follower: StateFollower
  readonly admin: Admin
  readonly rings: Rings
  readonly log: Log
  /** The one clock of control state, epoch ms. */
  readonly now: () => number
  /** This replica of auth, for leases. */
  readonly replica: string
  /** As ingest has it: how long an accepted event may still be on its way to Kafka. */
  readonly produceTimeoutMs: number
  /** Replicas of a new topic; the broker's default when absent. */
  readonly topicReplication?: number | undefined
  /** Takes away what was counted of an input stream that is gone. */
  readonly forgetUsage?: (stream: { streamId: string; createdAtMs: number }) => Promise<void>
  /** Asks for a round of the clean-up without waiting for the next regular one. */
  readonly cleanUpSoon: () => void
}

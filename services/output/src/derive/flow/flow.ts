// The state of an input partition while streams are derived from it. Plain data that the other modules of this folder
// change.
import type { Fetcher } from '@weir/kafka'
import type { FlowCursor } from './cursor.ts'
import type { Owning } from './ownership.ts'
import type { InputSide } from './reading.ts'
import type { Stream } from './stream.ts'
import type { Taking } from './take.ts'
import type { FlowTurns, Worker } from './turns.ts'

export type FlowDeps = Pick<Owning, 'logs' | 'mayOwn' | 'mayDerive' | 'readOwners'> & {
  readonly fetcher: Fetcher
  readonly turns: FlowTurns
  readonly room: Room
  readonly input: InputSide & {
    /** The topic's name without the prefix of this Weir. */
    readonly ownTopic: string
    readonly partition: number
    readonly account: string
  }
  readonly begin: Taking['begin']
  /** Reads control state to its end. */
  refresh(): Promise<void>
}

/** The total bytes in the queues of all input partitions. */
export type Room = { bytes: number }

export type Flow = FlowDeps & {
  readonly cursors: Map<FlowCursor, Worker>
  readonly placeOf: Map<Stream, FlowCursor>
  readonly all: Set<Stream>
  readonly taking: Taking
  readonly owning: Owning
  /** Does a part of a cursor's work. Returns false if no work is left. */
  step(cursor: FlowCursor): boolean
  readonly end: InputEnd
}

export type InputEnd = {
  /** The last known end of the input, if any. */
  at: bigint | undefined
  /** Returns whether a cursor is reading, and so updates `at`. False while all streams wait. */
  isSeen(): boolean
}

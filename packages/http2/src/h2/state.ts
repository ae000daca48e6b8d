// What one connection knows: a plain record that the rooms beside this file work on, each with its own
// part of the rules. Nothing is decided here.
import type { Socket } from 'node:net'
import { headerBytesMax, headersMax } from '../bounds.ts'
import { createHeaderDecoder } from '../hpack/decoder.ts'
import type { HeaderDecoder } from '../hpack/decoder.ts'
import type { Handler } from '../types.ts'
import { createCalmAllowance } from './bounds/allowance.ts'
import type { CalmAllowance } from './bounds/allowance.ts'
import type { Budget } from './bounds/budget.ts'
import type { Clock } from './clock.ts'
import { windowDefault } from './frames/frames.ts'
import { createHeadCache } from './head/head-cache.ts'
import type { HeadCache } from './head/head-cache.ts'
import { Output } from './frames/output.ts'
import { peerDefaults } from './frames/peer-settings.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import { createRecentStreams } from './recent-streams.ts'
import type { RecentStreams } from './recent-streams.ts'
import type { Stream } from './stream.ts'

export type ConnectionOptions = {
  socket: Socket
  handler: Handler
  onError: (error: unknown) => void
  budget: Budget
  clock: Clock
}

/** A header block that came in pieces, as far as it is here. */
export type Block = {
  readonly stream: number
  readonly flags: number
  readonly pieces: Buffer[]
  readonly sinceMs: number
  bytes: number
}

export type ConnectionState = ConnectionOptions & {
  readonly output: Output
  readonly decoder: HeaderDecoder
  readonly heads: HeadCache
  readonly allowance: CalmAllowance
  /** Open ones, the oldest first. */
  readonly streams: Map<number, Stream>
  readonly recent: RecentStreams
  /** Opened by the chunk that is being read; their handlers run when it is read. */
  readonly dispatchable: Stream[]
  readonly acceptedMs: number
  peer: PeerSettings
  hasSettings: boolean
  hasSettingsAck: boolean
  /** The highest stream that a client opened. */
  lastStream: number
  block: Block | undefined
  /** Bytes of bodies that we may still send, on all streams together. */
  sendWindow: number
  /** Bytes of bodies that the client may still send, on all streams together. */
  receiveWindow: number
  /** What the bodies of open streams and those under work take of our memory. */
  heldBytes: number
  /** Bodies come in that are larger than usual: a larger window pays. */
  hasLargeBodies: boolean
  /** How many DATA frames came in. */
  dataFrames: number
  /** A timer looks for clients that sleep (nudge.ts). */
  isWatched: boolean
  /** Of a round of PINGs those that are still to be acknowledged, and the DATA frames before it. */
  nudgesLeft: number
  nudgedAt: number
  /** Streams wait for credit until less is held. */
  hasStalledStreams: boolean
  /** Handlers at work for streams that are gone. */
  orphans: number
  /** The peer was told that we take no new streams soon. */
  hasNotice: boolean
  /** We take no new streams, and end when none is left. */
  isFinishing: boolean
  /** The peer opens no new streams; we end when none is left. */
  isPeerLeaving: boolean
  /** Nothing counts any longer. */
  isOver: boolean
  /** Bytes that were read since, and dropped. */
  droppedBytes: number
  lastFrameMs: number
  /** When a stream began or ended. */
  lastStreamMs: number
  /** Since when the peer has left our answers unread; undefined when it takes them. */
  blockedSinceMs: number | undefined
  onBodyWanted: (stream: Stream) => void
  /** Called when the peer has taken what was too much. */
  onOutputRoom: () => void
  /** Called when all connections together hold less again. */
  onRoom: () => void
}

export const createState = (options: ConnectionOptions): ConnectionState => {
  const decoder = createHeaderDecoder({
    tableBytesMax: 4_096,
    listBytesMax: headerBytesMax,
    listFieldsMax: headersMax + 4,
  })
  return {
    ...options,
    output: new Output(options.socket),
    decoder,
    heads: createHeadCache(decoder),
    allowance: createCalmAllowance(),
    streams: new Map(),
    recent: createRecentStreams(),
    dispatchable: [],
    acceptedMs: options.clock.nowMs,
    peer: peerDefaults,
    hasSettings: false,
    hasSettingsAck: false,
    lastStream: 0,
    block: undefined,
    sendWindow: windowDefault,
    receiveWindow: windowDefault,
    heldBytes: 0,
    hasLargeBodies: false,
    dataFrames: 0,
    isWatched: false,
    nudgesLeft: 0,
    nudgedAt: 0,
    hasStalledStreams: false,
    orphans: 0,
    hasNotice: false,
    isFinishing: false,
    isPeerLeaving: false,
    isOver: false,
    droppedBytes: 0,
    lastFrameMs: options.clock.nowMs,
    lastStreamMs: options.clock.nowMs,
    blockedSinceMs: undefined,
    onBodyWanted: () => {},
    onOutputRoom: () => {},
    onRoom: () => {},
  }
}

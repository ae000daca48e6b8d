// The state of one connection: a plain record, without logic, that the other modules of this folder change.
import type { Socket } from 'node:net'
import { headerBytesMax, headersMax } from '../bounds.ts'
import { createHeaderDecoder, decodeHeaders } from '../hpack/decoder.ts'
import type { HeaderDecoder } from '../hpack/decoder.ts'
import type { Handler } from '../types.ts'
import { createCalmAllowance } from './bounds/allowance.ts'
import type { CalmAllowance } from './bounds/allowance.ts'
import type { Budget } from './bounds/budget.ts'
import type { Clock } from './clock.ts'
import { windowDefault } from './frames/frames.ts'
import { createHeadCache } from './head/head-cache.ts'
import type { HeadCache } from './head/head-cache.ts'
import { FrameOutput } from './frames/output.ts'
import { peerDefaults } from './frames/peer-settings.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import { OpenStreams } from './open-streams.ts'
import { createRecentStreams } from './recent-streams.ts'
import type { RecentStreams } from './recent-streams.ts'
import type { H2Stream } from './stream.ts'

export type ConnectionOptions = {
  socket: Socket
  handler: Handler
  onError: (error: unknown) => void
  budget: Budget
  clock: Clock
}

/** The fragments of an incomplete header block. */
export type Block = {
  readonly stream: number
  readonly flags: number
  readonly pieces: Buffer[]
  readonly sinceMs: number
  bytes: number
}

export type ConnectionState = ConnectionOptions & {
  readonly output: FrameOutput
  readonly decoder: HeaderDecoder
  readonly heads: HeadCache
  readonly allowance: CalmAllowance
  readonly streams: OpenStreams<H2Stream>
  readonly recent: RecentStreams
  /** Streams that the current chunk has opened. Their handlers run after the chunk is read. */
  readonly dispatchable: H2Stream[]
  readonly acceptedMs: number
  peer: PeerSettings
  hasSettings: boolean
  hasSettingsAck: boolean
  /** The highest id of a stream that the client opened. */
  lastStream: number
  block: Block | undefined
  /** The body bytes that we may still send on all streams together. */
  sendWindow: number
  /** The body bytes that the client may still send on all streams together. */
  receiveWindow: number
  /** The memory of the bodies of open streams and of running handlers. */
  heldBytes: number
  /** True if bodies are large, so that a larger window helps. */
  hasLargeBodies: boolean
  dataFrames: number
  /** Whether a timer watches for clients that hang (nudge.ts). */
  isWatched: boolean
  /**
   * How many nudges (nudge.ts) may still be acknowledged. `nudgedAt` is the value of `dataFrames` before the first one.
   */
  nudgesLeft: number
  nudgedAt: number
  /** Whether a stream must wait for a window until fewer bytes are held. */
  hasStalledStreams: boolean
  /** The number of running handlers of closed streams. */
  orphans: number
  /** We have told the peer to open no more streams. */
  hasNotice: boolean
  /** We refuse new streams, and end the connection when no stream is open. */
  isFinishing: boolean
  /** The peer sent GOAWAY. We end the connection when no stream is open. */
  isPeerLeaving: boolean
  /** The connection has ended, and later events are ignored. */
  isOver: boolean
  droppedBytes: number
  lastFrameMs: number
  /** When a stream last began or ended. */
  lastStreamMs: number
  /** The time since which the peer has not read our responses; undefined if it reads them. */
  blockedSinceMs: number | undefined
  onBodyWanted: (stream: H2Stream) => void
  /** Called when the peer has read enough output. */
  onOutputRoom: () => void
  /** Called when the connection may get a window again. */
  onRoom: () => void
}

const listFieldsMax = headersMax + 4
const headerLimits = { tableBytesMax: 4_096, listBytesMax: headerBytesMax, listFieldsMax }

export const createState = (options: ConnectionOptions): ConnectionState => {
  const decoder = createHeaderDecoder(headerLimits)
  return {
    ...options,
    output: new FrameOutput(options.socket),
    decoder,
    heads: createHeadCache((block) => decodeHeaders(decoder, block)),
    allowance: createCalmAllowance(),
    streams: new OpenStreams(),
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

// One reader per topic and replica, for any number of clients that watch the topic. A client gets every event after the
// ends of the partitions at the time when it joined.
import type { Tail, TailOptions } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { closeQueue, createRenderQueue, renderRecords } from './render-queue.ts'
import type { Message } from './render-queue.ts'
import type { Render } from './render.ts'
import { textFrames } from './text-frame.ts'
import { closing } from './watcher.ts'
import type { Closing, Watcher } from './watcher.ts'
import { refusal } from '../errors.ts'

type Callbacks = Pick<TailOptions, 'onRecords' | 'onStopped'>
export type FeedDeps = {
  topic: string
  /** The ends of the partitions as a read_committed reader sees them. */
  endOffsets: () => Promise<readonly bigint[]>
  tail: (options: Pick<TailOptions, 'topic' | 'fromOffsets'> & Callbacks) => Tail
  render: Render
  /** Reads control state to its end. */
  refresh: () => Promise<void>
  log: Log
}

export type Feed = {
  /**
   * Resolves when the client's start is fixed. From there on it misses no event.
   * @throws Refusal `unavailable`
   */
  join(watcher: Watcher): Promise<void>
  /** True if no watcher is left. */
  leave(watcher: Watcher): boolean
  close(): Promise<void>
}

/** While the client's start is unknown, its messages are held, because it may have to get them. */
type Seat = { from: readonly bigint[] | undefined; held: Message[] }

/** Messages that are delivered together. */
type Round = {
  readonly messages: readonly Message[]
  /** All messages as frames, created once for all clients. */
  readonly frames: Buffer
  /** The first message of each partition. */
  readonly firsts: readonly Message[]
}

const heldMessagesMax = 10_000

export function createFeed(deps: FeedDeps): Feed {
  const seats = new Map<Watcher, Seat>()
  let isOver = false

  const end = (why: Closing, reason: string): void => {
    deps.log.info({ topic: deps.topic, reason }, 'a topic is no longer watched')
    isOver = true
    for (const watcher of seats.keys()) watcher.end(why)
  }

  const queue = createRenderQueue({
    ...deps,
    onMessages(messages) {
      const round = roundOf(messages)
      for (const [watcher, seat] of seats) deliver(watcher, seat, round)
    },
    onFull: () => end(closing.unsure, 'events arrive faster than they can be shown'),
  })
  const reader = createReader(deps, {
    onRecords: (partition, records) => renderRecords(queue, partition, records),
    onStopped: (reason) => end(closing.gone, reason),
  })

  return {
    async join(watcher) {
      if (isOver) throw refusal('unavailable', 'the topic is no longer read')
      // Added before the ends are read, so messages that arrive in between are held, not missed.
      const seat: Seat = { from: undefined, held: [] }
      seats.set(watcher, seat)
      seat.from = await reader.beginning()
      const held = seat.held.splice(0)
      if (held.length > 0) deliver(watcher, seat, roundOf(held))
    },
    leave(watcher) {
      seats.delete(watcher)
      return seats.size === 0
    },
    close() {
      closeQueue(queue)
      seats.clear()
      return reader.close()
    },
  }
}

/** Reads the topic from the first client on. */
function createReader({ topic, endOffsets, tail }: FeedDeps, callbacks: Callbacks) {
  let started: Promise<readonly bigint[]> | undefined
  let reader: Tail | undefined

  const start = async (): Promise<readonly bigint[]> => {
    const ends = await endOffsets()
    reader = tail({ topic, fromOffsets: ends, ...callbacks })
    return ends
  }

  return {
    /** For the first client, the reader's own start. For later clients, the current ends. */
    async beginning(): Promise<readonly bigint[]> {
      if (started !== undefined) return started.then(() => endOffsets())
      started = start()
      started.catch(() => (started = undefined))
      return started
    },
    async close(): Promise<void> {
      await started?.catch(() => {})
      reader?.close()
    },
  }
}

function deliver(watcher: Watcher, { from, held }: Seat, round: Round): void {
  if (from === undefined) {
    if (held.length + round.messages.length > heldMessagesMax) watcher.end(closing.unsure)
    else held.push(...round.messages)
    return
  }
  const isFor = ({ partition, offset }: Message): boolean => offset >= (from[partition] ?? 0n)
  if (round.firsts.every(isFor)) return watcher.send(round.frames, round.messages.length)
  const own = round.messages.filter(isFor)
  if (own.length > 0) watcher.send(framesOf(own), own.length)
}

const framesOf = (messages: readonly Message[]): Buffer =>
  textFrames(messages.map(({ text }) => text))

function roundOf(messages: readonly Message[]): Round {
  const firsts = new Map<number, Message>()
  for (const message of messages)
    if (!firsts.has(message.partition)) firsts.set(message.partition, message)
  return { messages, frames: framesOf(messages), firsts: [...firsts.values()] }
}

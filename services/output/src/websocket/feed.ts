// Reads a topic once for all clients of this replica that watch the topic. A client gets every event that is stored
// after the client has joined.
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
  refresh: () => Promise<void>
  /** Called before values are decrypted. The returned function is called when the values are sent, or never will be. */
  begin: () => () => void
  log: Log
}

export type Feed = {
  /**
   * Resolves when the client's start offsets are known. From these on, the client misses no event.
   * @throws Refusal `unavailable`
   */
  join(watcher: Watcher): Promise<void>
  /** Returns true if no watcher is left. */
  leave(watcher: Watcher): boolean
  close(): Promise<void>
}

/**
 * A client's state in the feed. While its start offsets (`from`) are unknown, messages are kept in `held`, because the
 * client may have to get them.
 */
type Seat = { from: readonly bigint[] | undefined; held: Message[]; overs: (() => void)[] }

/** Messages that are delivered together. */
type Round = {
  readonly messages: readonly Message[]
  /** All messages as frames, created once for all clients. */
  readonly frames: Buffer
  /** The first message of each partition. */
  readonly firsts: readonly Message[]
  /** To be called once for each client, when the messages are sent to it, or never will be. */
  readonly over: () => void
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
    onMessages: (messages, over) => deliverAll(seats, messages, over),
    onFull: () => end(closing.unsure, 'events arrive faster than they can be shown'),
  })
  const reader = createReader(deps, {
    onRecords: (partition, records) => renderRecords(queue, partition, records),
    onStopped: (reason) => end(closing.gone, reason),
  })

  return {
    async join(watcher) {
      if (isOver) throw refusal('unavailable', 'the topic is no longer read')
      const seat: Seat = { from: undefined, held: [], overs: [] }
      seats.set(watcher, seat)
      seat.from = await reader.beginning()
      deliverHeld(watcher, seat)
    },
    leave(watcher) {
      takeOver(seats.get(watcher))()
      seats.delete(watcher)
      return seats.size === 0
    },
    close() {
      closeQueue(queue)
      for (const seat of seats.values()) takeOver(seat)()
      seats.clear()
      return reader.close()
    },
  }
}

/** Starts to read the topic when the first client joins. */
function createReader({ topic, endOffsets, tail }: FeedDeps, callbacks: Callbacks) {
  let started: Promise<readonly bigint[]> | undefined
  let reader: Tail | undefined

  const start = async (): Promise<readonly bigint[]> => {
    const ends = await endOffsets()
    reader = tail({ topic, fromOffsets: ends, ...callbacks })
    return ends
  }

  return {
    /**
     * Returns a client's start offsets: for the first client those of the reader, for later clients the current ends.
     */
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

function deliverAll(
  seats: ReadonlyMap<Watcher, Seat>,
  messages: readonly Message[],
  over: () => void,
): void {
  const round = roundOf(messages, afterAll(seats.size, over))
  for (const [watcher, seat] of seats) deliver(watcher, seat, round)
}

function deliver(watcher: Watcher, { from, held, overs }: Seat, round: Round): void {
  const { messages, frames, firsts, over } = round
  if (from === undefined) {
    if (held.length + messages.length > heldMessagesMax) {
      watcher.end(closing.unsure)
      return over()
    }
    held.push(...messages)
    return void overs.push(over)
  }
  const isFor = ({ partition, offset }: Message): boolean => offset >= (from[partition] ?? 0n)
  if (firsts.every(isFor)) return watcher.send(frames, messages.length, over)
  const own = messages.filter(isFor)
  if (own.length > 0) watcher.send(framesOf(own), own.length, over)
  else over()
}

function deliverHeld(watcher: Watcher, seat: Seat): void {
  const held = seat.held.splice(0)
  const over = takeOver(seat)
  if (held.length > 0) deliver(watcher, seat, roundOf(held, over))
}

/** Returns the function to call when the messages that were held for a client are sent, or never will be. */
function takeOver(seat: Seat | undefined): () => void {
  const all = seat?.overs.splice(0) ?? []
  return () => all.forEach((over) => over())
}

/** Returns a function that calls `over` once it has been called `calls` times. */
function afterAll(calls: number, over: () => void): () => void {
  let left = calls
  if (left === 0) over()
  return () => {
    left -= 1
    if (left === 0) over()
  }
}

const framesOf = (messages: readonly Message[]): Buffer =>
  textFrames(messages.map(({ text }) => text))

function roundOf(messages: readonly Message[], over: () => void): Round {
  const firsts = new Map<number, Message>()
  for (const message of messages)
    if (!firsts.has(message.partition)) firsts.set(message.partition, message)
  return { messages, frames: framesOf(messages), firsts: [...firsts.values()], over }
}

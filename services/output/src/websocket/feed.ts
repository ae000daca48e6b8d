// One reader per topic and replica, however many clients watch the topic. A client gets every event after the ends of
// the partitions at the time it joined.
import type { Tail, TailOptions } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { createRenderQueue } from './render-queue.ts'
import type { Message } from './render-queue.ts'
import type { Render } from './render.ts'
import { textFrames } from './text-frame.ts'
import { closing } from './watcher.ts'
import type { Closing, Watcher } from './watcher.ts'
import { refusal } from '../errors.ts'

export type FeedDeps = {
  topic: string
  /** The ends of the partitions as a read_committed reader sees them. */
  endOffsets: () => Promise<readonly bigint[]>
  tail: (options: Pick<TailOptions, 'topic' | 'fromOffsets' | 'onRecords' | 'onStopped'>) => Tail
  render: Render
  /** Reads control state to its end. */
  refresh: () => Promise<void>
  log: Log
}

export type Feed = {
  /**
   * Resolves when the client's start is fixed; from there it misses nothing.
   * @throws Refusal `unavailable`
   */
  join(watcher: Watcher): Promise<void>
  /** True if no watcher is left. */
  leave(watcher: Watcher): boolean
  close(): Promise<void>
}

/** While the client's start isn't known, messages are held: it may have to see them. */
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
  const { topic, endOffsets, log } = deps
  const seats = new Map<Watcher, Seat>()
  let started: Promise<readonly bigint[]> | undefined
  let reader: Tail | undefined
  let isOver = false

  const deliver = (watcher: Watcher, seat: Seat, round: Round): void => {
    const { from, held } = seat
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

  const end = (why: Closing, reason: string): void => {
    log.info({ topic, reason }, 'a topic is no longer watched')
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

  const start = async (): Promise<readonly bigint[]> => {
    const ends = await endOffsets()
    reader = deps.tail({
      topic,
      fromOffsets: ends,
      onRecords: queue.take,
      onStopped: (reason) => end(closing.gone, reason),
    })
    return ends
  }

  /** For the first client the reader's own start; for later ones the current ends. */
  const beginning = async (): Promise<readonly bigint[]> => {
    if (started !== undefined) {
      await started
      return endOffsets()
    }
    started = start()
    started.catch(() => (started = undefined))
    return started
  }

  return {
    async join(watcher) {
      if (isOver) throw refusal('unavailable', 'the topic is no longer read')
      // Seated before the ends are read, so messages that come in between are held, not missed.
      const seat: Seat = { from: undefined, held: [] }
      seats.set(watcher, seat)
      seat.from = await beginning()
      const held = seat.held.splice(0)
      if (held.length > 0) deliver(watcher, seat, roundOf(held))
    },
    leave(watcher) {
      seats.delete(watcher)
      return seats.size === 0
    },
    async close() {
      queue.close()
      seats.clear()
      await started?.catch(() => {})
      reader?.close()
    },
  }
}

const framesOf = (messages: readonly Message[]): Buffer =>
  textFrames(messages.map(({ text }) => text))

function roundOf(messages: readonly Message[]): Round {
  const firsts = new Map<number, Message>()
  for (const message of messages)
    if (!firsts.has(message.partition)) firsts.set(message.partition, message)
  return { messages, frames: framesOf(messages), firsts: [...firsts.values()] }
}

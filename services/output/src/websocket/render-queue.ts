// Renders a topic's records as messages, in order and in short turns. The messages of a turn are delivered together.
// Between turns sockets are written, so that a burst doesn't make fast clients look slow. A record that can't be shown
// is left out and logged by its offset, never by its values.
import { setImmediate } from 'node:timers/promises'
import type { SourceRecord } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { Render } from './render.ts'
import { reasonOf } from '../derive/errors.ts'
import type { Reason } from '../derive/errors.ts'

export type Message = {
  readonly partition: number
  readonly offset: bigint
  readonly text: Buffer
}

export type RenderQueueDeps = {
  topic: string
  render: Render
  /** Reads control state to its end. */
  refresh: () => Promise<void>
  /** Called with the messages of a turn, in order. */
  onMessages: (messages: readonly Message[]) => void
  /** Called when too much is queued: nothing more is shown. */
  onFull: () => void
  log: Log
}

export type RenderQueue = {
  take(partition: number, records: readonly SourceRecord[]): void
  close(): void
}

type Chunk = {
  readonly partition: number
  readonly records: readonly SourceRecord[]
  readonly bytes: number
}

const unknownContract: Reason = 'unknown_contract'
const recordsPerTurn = 20
/** A turn also ends after this much text: a quarter of what may wait for a client. */
const bytesPerTurn = 262_144
export const queuedBytesMax = 67_108_864

export function createRenderQueue(deps: RenderQueueDeps): RenderQueue {
  const { topic, render, refresh, onMessages, onFull, log } = deps
  const chunks: Chunk[] = []
  let made: Message[] = []
  let queuedBytes = 0
  let recordsThisTurn = 0
  let bytesThisTurn = 0
  let isWorking = false
  let isClosed = false

  /** The text of the message, or the code that says why the record can't be shown. */
  const tryRender = (record: SourceRecord): Buffer | string => {
    try {
      return render(record) ?? unknownContract
    } catch (error) {
      return reasonOf(error)
    }
  }

  const show = async ({ partition, records }: Chunk): Promise<void> => {
    const leftOut: { offset: number; code: string }[] = []
    let hasLookedAgain = false
    for (const record of records) {
      if (++recordsThisTurn > recordsPerTurn || bytesThisTurn >= bytesPerTurn) await endTurn()
      let text = tryRender(record)
      if (text === unknownContract && !hasLookedAgain) {
        handOn() // earlier messages don't wait for it
        await refresh().catch(() => {})
        hasLookedAgain = true // once per chunk: all its records were fetched before
        text = tryRender(record)
      }
      if (isClosed) return
      if (typeof text === 'string') leftOut.push({ offset: Number(record.offset), code: text })
      else {
        made.push({ partition, offset: record.offset, text })
        bytesThisTurn += text.length
      }
    }
    if (leftOut.length > 0)
      log.warn(
        { topic, partition, records: leftOut.length, first: leftOut[0] },
        'records that are not events, or have no known contract, are not shown',
      )
  }

  const handOn = (): void => {
    const messages = made
    made = []
    if (messages.length > 0 && !isClosed) onMessages(messages)
  }

  const endTurn = async (): Promise<void> => {
    handOn()
    recordsThisTurn = 1 // counts the record that the last turn had no room for
    bytesThisTurn = 0
    await setImmediate()
  }

  const showAll = async (): Promise<void> => {
    isWorking = true
    do {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
        await show(chunk)
        queuedBytes -= chunk.bytes
      }
      await setImmediate() // lets records of the same fetch from other partitions join
    } while (chunks.length > 0)
    handOn()
    recordsThisTurn = 0
    bytesThisTurn = 0
    isWorking = false
  }

  const close = (): void => {
    isClosed = true
    chunks.length = 0
  }

  return {
    take(partition, records) {
      if (isClosed) return
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
      queuedBytes += bytes
      if (queuedBytes > queuedBytesMax) {
        close()
        return onFull()
      }
      chunks.push({ partition, records, bytes })
      if (!isWorking) void showAll()
    },
    close,
  }
}

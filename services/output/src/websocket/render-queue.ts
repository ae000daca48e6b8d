// Renders a topic's records as messages, in order and in short turns. The messages of a turn are delivered together.
// Between turns data is written to the sockets, so that a burst doesn't make fast clients look slow. Records that can't
// be shown are skipped and counted in the log, without their values.
import { setImmediate } from 'node:timers/promises'
import type { SourceRecord } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { Render } from './render.ts'
import { mayChange, reasonOf } from '../derive/errors.ts'
import type { Reason } from '../derive/errors.ts'

export type Message = {
  readonly partition: number
  readonly offset: bigint
  readonly text: Buffer
}

export type RenderQueueDeps = {
  topic: string
  render: Render
  refresh: () => Promise<void>
  /** Called before values are decrypted. */
  begin: () => () => void
  /** Called with the messages of a turn, in order. Call `over` when the messages are sent, or never will be. */
  onMessages: (messages: readonly Message[], over: () => void) => void
  /** Called when too many records are queued. Later records are not shown. */
  onFull: () => void
  log: Log
}

type Chunk = Readonly<{ partition: number; records: readonly SourceRecord[]; bytes: number }>

const recordsPerTurn = 20
/** A turn also ends after this much text: a quarter of `bufferedBytesMax`. */
const bytesPerTurn = 262_144
export const queuedBytesMax = 67_108_864

export type RenderQueue = RenderQueueDeps & {
  readonly chunks: Chunk[]
  queuedBytes: number
  /** The messages of this turn that are not delivered yet. */
  messages: Message[]
  /** The function that `begin` returned for these messages. */
  over: (() => void) | undefined
  recordsThisTurn: number
  bytesThisTurn: number
  isWorking: boolean
  isClosed: boolean
}

export const createRenderQueue = (deps: RenderQueueDeps): RenderQueue => ({
  ...deps,
  chunks: [],
  queuedBytes: 0,
  messages: [],
  over: undefined,
  recordsThisTurn: 0,
  bytesThisTurn: 0,
  isWorking: false,
  isClosed: false,
})

export function renderRecords(
  queue: RenderQueue,
  partition: number,
  records: readonly SourceRecord[],
): void {
  if (queue.isClosed) return
  const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
  queue.queuedBytes += bytes
  if (queue.queuedBytes > queuedBytesMax) {
    closeQueue(queue)
    return queue.onFull()
  }
  queue.chunks.push({ partition, records, bytes })
  if (!queue.isWorking) void showAll(queue)
}

export function closeQueue(queue: RenderQueue): void {
  queue.isClosed = true
  queue.chunks.length = 0
}

async function showAll(queue: RenderQueue): Promise<void> {
  const { chunks } = queue
  queue.isWorking = true
  do {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      await show(queue, chunk)
      queue.queuedBytes -= chunk.bytes
    }
    await setImmediate() // lets records of the same fetch from other partitions join
  } while (chunks.length > 0)
  endTurn(queue)
  queue.isWorking = false
}

async function show(queue: RenderQueue, { partition, records }: Chunk): Promise<void> {
  const leftOut: { offset: number; code: string }[] = []
  let hasLookedAgain = false
  for (const record of records) {
    if (queue.recordsThisTurn >= recordsPerTurn || queue.bytesThisTurn >= bytesPerTurn) {
      endTurn(queue)
      await setImmediate()
    }
    queue.recordsThisTurn += 1
    queue.over ??= queue.begin()
    let text = tryRender(queue.render, record)
    if (typeof text === 'string' && mayChange(text) && !hasLookedAgain) {
      handOn(queue) // earlier messages don't wait for the refresh
      await queue.refresh().catch(() => {})
      hasLookedAgain = true // once per chunk: this refresh is newer than all its records
      queue.over ??= queue.begin()
      text = tryRender(queue.render, record)
    }
    if (queue.isClosed) return handOn(queue)
    if (text === null) continue
    if (typeof text === 'string') leftOut.push({ offset: Number(record.offset), code: text })
    else {
      queue.messages.push({ partition, offset: record.offset, text })
      queue.bytesThisTurn += text.length
    }
  }
  if (leftOut.length > 0)
    queue.log.warn(
      { topic: queue.topic, partition, records: leftOut.length, first: leftOut[0] },
      'records that are not events, or have no known contract, are not shown',
    )
}

/**
 * Returns the message's text, null if there is no message for the record, or the reason why the record can't be shown.
 */
function tryRender(render: Render, record: SourceRecord): Buffer | Reason | null {
  try {
    return render(record)
  } catch (error) {
    return reasonOf(error)
  }
}

function handOn(queue: RenderQueue): void {
  const { messages, over = () => {} } = queue
  queue.messages = []
  queue.over = undefined
  if (messages.length > 0 && !queue.isClosed) queue.onMessages(messages, over)
  else over()
}

function endTurn(queue: RenderQueue): void {
  handOn(queue)
  queue.recordsThisTurn = 0
  queue.bytesThisTurn = 0
}

// One connection to one broker: frames out, answers in, in the order of the frames, as Kafka promises.
// A request has exactly three ends: its answer, or never written (`isOpen` was false), or lost with the
// connection, when nobody knows. It has no time-outs: whoever waits too long drops the connection.

import type { OpenSocket } from './socket.ts'
import type { Throttle } from './throttle.ts'
import { setCorrelationId } from '../protocol/produce-wire.ts'
import { KafkaError } from '../errors.ts'

export type Connection = {
  readonly clientId: string
  /** Of its broker. */
  readonly throttle: Throttle
  /**
   * The answer's payload after the correlation id. Rejects with KafkaError `kafka.not_sent` when the connection has ended
   * already, and with `connection_lost` when it ends before the answer.
   */
  request(frame: Buffer): Promise<Buffer>
  isOpen(): boolean
  /** Ends the connection at once; the requests without an answer are lost. */
  drop(why: string): void
  /** Takes no further requests and ends after the last answer. */
  retire(): void
}

type Waiting = { id: number; resolve(payload: Buffer): void; reject(error: Error): void }

// Brokers close after 10 minutes without a request; one written at that moment would be lost.
const IDLE_MS_MAX = 540_000
const INT32_MAX = 0x7fffffff
const FRAME_BYTES_MAX = 64 * 1024 * 1024

export function createConnection(
  { socket, clientId, isAuthenticated }: OpenSocket,
  throttle: Throttle,
): Connection {
  const waiting: Waiting[] = []
  let nextId = 0
  let isEnded = false
  let isRetired = false
  let usedAtMs = performance.now()

  function drop(why: string): void {
    if (isEnded) return
    isEnded = true
    socket.destroy()
    const error = new KafkaError('kafka.connection_lost', why)
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  function onPayload(frame: Buffer): void {
    const oldest = waiting.shift()
    if (oldest === undefined || oldest.id !== frame.readInt32BE(0)) {
      if (oldest) waiting.unshift(oldest)
      return drop('the broker answered another request')
    }
    usedAtMs = performance.now()
    oldest.resolve(frame.subarray(4))
    if (isRetired && waiting.length === 0) drop('retired')
  }

  socket.on('data', splitFrames(onPayload, drop))
  for (const event of ['error', 'end', 'close']) {
    socket.once(event, () => drop('the connection to the broker was lost'))
  }
  socket.resume()

  return {
    clientId,
    throttle,
    request(frame) {
      return new Promise((resolve, reject) => {
        if (isEnded || !socket.writable) {
          return reject(new KafkaError('kafka.not_sent', 'the connection has ended'))
        }
        const id = nextId
        nextId = id === INT32_MAX ? 0 : id + 1
        setCorrelationId(frame, id)
        waiting.push({ id, resolve, reject })
        usedAtMs = performance.now()
        corkForThisTick(socket)
        socket.write(frame)
      })
    },
    isOpen() {
      if (isEnded || isRetired || !socket.writable) return false
      const isIdle = waiting.length === 0 && performance.now() - usedAtMs > IDLE_MS_MAX
      return !isIdle && isAuthenticated()
    },
    drop,
    retire() {
      isRetired = true
      if (waiting.length === 0) drop('retired')
    },
  }
}

// The requests of several partitions that become ready together leave in one system call.
function corkForThisTick(socket: OpenSocket['socket']): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

function splitFrames(onFrame: (frame: Buffer) => void, drop: Connection['drop']) {
  let rest: Buffer | undefined
  return (chunk: Buffer): void => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= 4) {
      const size = bytes.readInt32BE(at)
      if (size < 4 || size > FRAME_BYTES_MAX)
        return drop('the broker sent something that is not an answer')
      if (bytes.length - at - 4 < size) break
      onFrame(bytes.subarray(at + 4, at + 4 + size))
      at += 4 + size
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}

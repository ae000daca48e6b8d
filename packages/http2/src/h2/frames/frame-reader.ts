// Splits incoming bytes into frames without copying: a frame that is complete in a chunk is passed on as a slice of the
// chunk. Only a frame that is split across chunks is copied, so that a part of a frame doesn't keep a chunk in memory.
import { ConnectionError, errorCode, frameHeadBytes, framePayloadMax } from './frames.ts'

export type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void

/** @throws ConnectionError from the returned function, its own and those of `onFrame` */
export function createFrameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  /** The memory for a split frame: for its head or, once its length is known, for the whole frame. */
  let cut: Buffer | undefined
  let cutBytes = 0

  /** Completes the split frame. Returns the offset of its end in the chunk. */
  const complete = (chunk: Buffer): number => {
    let at = 0
    while (cut !== undefined) {
      const taken = chunk.copy(cut, cutBytes, at, at + cut.length - cutBytes)
      cutBytes += taken
      at += taken
      if (cutBytes < cut.length) break
      const end = frameHeadBytes + payloadLength(cut, 0)
      if (end > cut.length) {
        const whole = Buffer.allocUnsafeSlow(end)
        cut.copy(whole)
        cut = whole
        continue
      }
      const whole = cut
      cut = undefined
      hand(onFrame, whole, 0, end)
    }
    return at
  }

  return (chunk) => {
    let at = complete(chunk)
    while (chunk.length - at >= frameHeadBytes) {
      const end = at + frameHeadBytes + payloadLength(chunk, at)
      if (end > chunk.length) break
      hand(onFrame, chunk, at, end)
      at = end
    }
    if (at === chunk.length) return
    cut = Buffer.allocUnsafeSlow(frameHeadBytes)
    cutBytes = 0
    complete(chunk.subarray(at))
  }
}

function hand(onFrame: OnFrame, bytes: Buffer, at: number, end: number): void {
  const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff
  const payload = bytes.subarray(at + frameHeadBytes, end)
  onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, stream, payload)
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3)
  if (length > framePayloadMax)
    throw new ConnectionError(errorCode.frameSizeError, 'a frame is larger than was announced')
  return length
}

/** Returns the payload without its padding (RFC 9113 6.1). */
export function unpadded(flags: number, paddedFlag: number, payload: Buffer): Buffer {
  if ((flags & paddedFlag) === 0) return payload
  const padding = payload[0]
  if (padding === undefined || padding >= payload.length)
    throw new ConnectionError(errorCode.protocolError, 'the padding is longer than its frame')
  return payload.subarray(1, payload.length - padding)
}

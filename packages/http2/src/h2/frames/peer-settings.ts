// Checks the peer's SETTINGS (RFC 9113 6.5), and contains those that we send.
import { concurrentStreamsMax, headerBytesMax } from '../../bounds.ts'
import { ConnectionError, errorCode, settingFrame, windowDefault, windowMax } from './frames.ts'

export type PeerSettings = { initialWindow: number; frameMax: number }

export const peerDefaults: PeerSettings = { initialWindow: windowDefault, frameMax: 16_384 }

/**
 * Our receive window of a stream: large enough for a typical event, and small enough for a hundred concurrent streams.
 */
export const streamWindow = windowDefault

export const ownSettings: Buffer = encode([
  [settingFrame.maxConcurrentStreams, concurrentStreamsMax],
  [settingFrame.initialWindowSize, streamWindow],
  [settingFrame.maxHeaderListSize, headerBytesMax],
])

/** @throws ConnectionError */
export function readSettings(payload: Buffer, before: PeerSettings): PeerSettings {
  if (payload.length % 6 !== 0)
    throw new ConnectionError(errorCode.frameSizeError, 'a SETTINGS frame has an odd size')
  const settings = { ...before }
  for (let at = 0; at < payload.length; at += 6) {
    const value = payload.readUInt32BE(at + 2)
    switch (payload.readUInt16BE(at)) {
      case settingFrame.enablePush:
        if (value > 1) throw new ConnectionError(errorCode.protocolError, 'ENABLE_PUSH is 0 or 1')
        break
      case settingFrame.initialWindowSize:
        if (value > windowMax)
          throw new ConnectionError(errorCode.flowControlError, 'the initial window is too large')
        settings.initialWindow = value
        break
      case settingFrame.maxFrameSize:
        if (value < 16_384 || value > 16_777_215)
          throw new ConnectionError(errorCode.protocolError, 'the frame size is out of bounds')
        settings.frameMax = value
        break
      default:
    }
  }
  return settings
}

function encode(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(settings.length * 6)
  settings.forEach(([id, value], i) => {
    bytes.writeUInt16BE(id, i * 6)
    bytes.writeUInt32BE(value, i * 6 + 2)
  })
  return bytes
}

// A minimal WebSocket client that counts messages, so that a thousand of them fit on one core beside the watched
// service. It splits the frames of RFC 6455, and inspects only close frames by default.
import * as net from 'node:net'

export type RawWatcher = {
  /** The number of text messages so far. */
  messages(): number
  /** The code of the close frame; 1006 if the connection ended without one. */
  closedWith(): number | undefined
  close(): void
}

export type RawWatcherOptions = {
  port: number
  token: string
  /** Receives the text of every message. */
  onText?: (text: Buffer) => void
}

const opcode = { text: 1, close: 8, ping: 9 } as const
const closedWithoutFrame = 1006
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

/** Resolves when the service returns 101. */
export function openRawWatcher({ port, token, onText }: RawWatcherOptions): Promise<RawWatcher> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  let messages = 0
  let closedWith: number | undefined
  const frames = createFrameReader({
    isWanted: (kind) => kind === opcode.close || (kind === opcode.text && onText !== undefined),
    onFrame(kind, payload) {
      if (kind === opcode.text) {
        messages += 1
        onText?.(payload)
      } else if (kind === opcode.ping) socket.write(pong)
      else if (kind === opcode.close) closedWith ??= payload.readUInt16BE(0)
    },
  })
  socket.on('close', () => (closedWith ??= closedWithoutFrame))
  const watcher: RawWatcher = {
    messages: () => messages,
    closedWith: () => closedWith,
    close: () => socket.destroy(),
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.once('connect', () => socket.write(upgradeRequest(port, token)))
    let head = Buffer.alloc(0)
    const onHead = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!head.toString('latin1').startsWith('HTTP/1.1 101'))
        return reject(new Error(head.toString('latin1', 0, head.indexOf('\r\n'))))
      socket.off('data', onHead).on('data', frames)
      if (head.length > end + 4) frames(head.subarray(end + 4))
      resolve(watcher)
    }
    socket.on('data', onHead)
  })
}

const upgradeRequest = (port: number, token: string): string =>
  [
    'GET /ws HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Authorization: Bearer ${token}`,
    '\r\n',
  ].join('\r\n')

type FrameReader = {
  /** Whether to assemble the payloads of frames with this opcode. */
  isWanted: (opcode: number) => boolean
  onFrame: (opcode: number, payload: Buffer) => void
}

// frame  = head [length-16 / length-64] payload     ; servers don't mask
// head   = 2OCTET                                   ; flags and opcode; length, 126 or 127
function createFrameReader({ isWanted, onFrame }: FrameReader): (chunk: Buffer) => void {
  const nothing = Buffer.alloc(0)
  let head: Buffer = nothing
  let kind = 0
  let left = 0
  let kept: Buffer[] | undefined
  const end = (): void => {
    onFrame(kind, kept === undefined ? nothing : Buffer.concat(kept))
    head = nothing
  }
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const piece = Math.min(left, chunk.length - at)
        kept?.push(chunk.subarray(at, at + piece))
        left -= piece
        at += piece
        if (left === 0) end()
        continue
      }
      const wanted = head.length < 2 ? 2 : headBytes(head)
      const piece = chunk.subarray(at, at + wanted - head.length)
      head = head.length === 0 ? piece : Buffer.concat([head, piece])
      at += piece.length
      if (head.length < 2 || head.length < headBytes(head)) continue
      kind = (head[0] ?? 0) & 0x0f
      left = payloadBytes(head)
      kept = isWanted(kind) ? [] : undefined
      if (left === 0) end()
    }
  }
}

/** Returns the length of a frame's head, from its first two bytes. */
function headBytes(head: Buffer): number {
  const length = (head[1] ?? 0) & 0x7f
  return length === 127 ? 10 : length === 126 ? 4 : 2
}

function payloadBytes(head: Buffer): number {
  const length = (head[1] ?? 0) & 0x7f
  if (length === 126) return head.readUInt16BE(2)
  return length === 127 ? Number(head.readBigUInt64BE(2)) : length
}

// An independent WebSocket client reads the frames.
import { expect, test } from '@jest/globals'
import type { AddressInfo } from 'node:net'
import { pollUntil } from '@weir/kit'
import { WebSocket, WebSocketServer } from 'ws'
import { textFrames } from '../../src/websocket/text-frame.ts'

const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]
const texts = [...lengths.map((length) => 'x'.repeat(length)), '{"é":"世界"}']

test('a client reads one text message a frame, of every length, in order', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  server.on('connection', (_, { socket }) =>
    socket.write(textFrames(texts.map((text) => Buffer.from(text)))),
  )
  const { port } = addressOf(server.address())
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  const received: string[] = []
  client.on('message', (data: Buffer, isBinary) =>
    received.push(isBinary ? 'binary' : data.toString()),
  )
  try {
    const enough = () => received.length >= texts.length
    await pollUntil(enough, { deadlineMs: 60_000, everyMs: 5, what: 'all messages' })
    expect(received).toEqual(texts)
    expect(client.readyState).toBe(client.OPEN)
  } finally {
    client.terminate()
    server.close()
  }
})

const addressOf = (address: string | AddressInfo | null): AddressInfo => {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address
}

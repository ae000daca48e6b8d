import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { WebSocket } from 'ws'
import { bufferedBytesMax, bufferedMessagesMax, closing, createWatcher } from '../src/watcher.ts'

const text = (length = 1) => Buffer.alloc(length, 'x')

/** What a watcher does to its socket. The socket takes nothing off its buffer until it is told to. */
function fakeSocket() {
  const did: string[] = []
  const unsent: (() => void)[] = []
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    send(message: Buffer, options: { binary: boolean }, sent: () => void) {
      did.push(`${options.binary ? 'binary' : 'text'} ${message.length}`)
      socket.bufferedAmount += message.length
      unsent.push(sent)
    },
    close: (code: number, reason: string) => did.push(`close ${code} ${reason}`),
    terminate: () => did.push('terminate'),
  })
  const flush = (): void => {
    socket.bufferedAmount = 0
    for (const sent of unsent.splice(0)) sent()
  }
  return { did, flush, socket: asWebSocket(socket) }
}

// Of a WebSocket a watcher uses what is above and nothing else.
const asWebSocket = (socket: object): WebSocket => socket as WebSocket

function watcherOf() {
  const counts = { sent: 0, tooSlow: 0 }
  const watcher = createWatcher({
    sent: () => void (counts.sent += 1),
    tooSlow: () => void (counts.tooSlow += 1),
  })
  return { watcher, counts }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('what comes before the upgrade is done waits, and goes out first, as text messages', () => {
  const { watcher, counts } = watcherOf()
  const { socket, did } = fakeSocket()
  watcher.send(text(1))
  watcher.send(text(2))
  watcher.attach(socket)
  watcher.send(text(3))
  expect(did).toEqual(['text 1', 'text 2', 'text 3'])
  expect(counts).toEqual({ sent: 3, tooSlow: 0 })
})

describe('a client that can not keep up is closed with 1013', () => {
  test('after 1,000 messages that are not sent yet, and not before', () => {
    const { watcher, counts } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.attach(socket)
    for (let index = 0; index < bufferedMessagesMax; index += 1) watcher.send(text())
    expect(did).not.toContain('close 1013 too slow')
    watcher.send(text())
    expect(did.at(-1)).toBe('close 1013 too slow')
    expect(counts).toEqual({ sent: 1_001, tooSlow: 1 })
  })

  test('after 1 MiB that is not sent yet, and not before', () => {
    const { watcher } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.attach(socket)
    watcher.send(text(bufferedBytesMax))
    expect(did).not.toContain('close 1013 too slow')
    watcher.send(text(1))
    expect(did.at(-1)).toBe('close 1013 too slow')
  })

  test('also while its upgrade is not done', () => {
    const { watcher, counts } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.send(text(bufferedBytesMax + 1))
    watcher.attach(socket)
    expect(did).toEqual(['close 1013 too slow'])
    expect(counts.tooSlow).toBe(1)
  })

  test('and is given time to read as far as the close frame', () => {
    const { watcher } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.attach(socket)
    watcher.send(text(bufferedBytesMax + 1))
    jest.advanceTimersByTime(10_000)
    expect(did.at(-1)).toBe('close 1013 too slow')
  })

  test('but never as long as its socket takes what comes', () => {
    const { watcher } = watcherOf()
    const { socket, did, flush } = fakeSocket()
    watcher.attach(socket)
    for (let round = 0; round < 20; round += 1) {
      for (let index = 0; index < 900; index += 1) watcher.send(text(1_000))
      flush()
    }
    expect(did).toHaveLength(18_000)
  })
})

describe('once it ends', () => {
  test('nothing more is sent, and only the first reason counts', () => {
    const { watcher } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.attach(socket)
    watcher.end(closing.tokenDead)
    watcher.end(closing.gone)
    watcher.send(text())
    expect(did).toEqual(['close 4401 token expired or revoked'])
  })

  test('a client that does not answer the close frame is cut off', () => {
    const { watcher } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.attach(socket)
    watcher.end(closing.disabled)
    jest.advanceTimersByTime(2_000)
    expect(did).toEqual(['close 4403 stream disabled', 'terminate'])
  })

  test('before the upgrade is done, the socket is closed as soon as it is there, and shows nothing', () => {
    const { watcher } = watcherOf()
    const { socket, did } = fakeSocket()
    watcher.send(text())
    watcher.end(closing.gone)
    watcher.attach(socket)
    expect(did).toEqual(['close 4410 stream gone'])
  })
})

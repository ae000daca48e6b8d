import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { WebSocket } from 'ws'
import {
  bufferedBytesMax,
  bufferedMessagesMax,
  closing,
  createWatcher,
} from '../../src/websocket/watcher.ts'
import type { Watcher } from '../../src/websocket/watcher.ts'

/** Creates messages. The watcher ignores their content. */
const text = (length = 1) => Buffer.alloc(length, 'x')

/** Records what a watcher does with its socket and connection. Only the test empties the connection's buffer. */
function fakeSocket() {
  const did: string[] = []
  const unsent: (() => void)[] = []
  const connection = {
    writableLength: 0,
    write(frames: Buffer, sent: () => void) {
      did.push(`write ${frames.length}`)
      connection.writableLength += frames.length
      unsent.push(sent)
    },
  }
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    close: (code: number, reason: string) => did.push(`close ${code} ${reason}`),
    terminate: () => did.push('terminate'),
  })
  const flush = (): void => {
    connection.writableLength = 0
    for (const sent of unsent.splice(0)) sent()
  }
  return {
    did,
    flush,
    attachTo: (watcher: Watcher) => watcher.attach(asWebSocket(socket), asDuplex(connection)),
    /** Simulates the client's close frame. */
    sayGoodbye: () => void (socket.readyState = 2),
  }
}

// A watcher uses only these members of a WebSocket and its connection.
const asWebSocket = (socket: object): WebSocket => socket as WebSocket
const asDuplex = (connection: object): Duplex => connection as Duplex

function watcherOf() {
  const counts = { sent: 0, tooSlow: 0 }
  const watcher = createWatcher({
    sent: (messages) => void (counts.sent += messages),
    tooSlow: () => void (counts.tooSlow += 1),
  })
  return { watcher, counts }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('what comes before the upgrade is done waits, and goes out first', () => {
  const { watcher, counts } = watcherOf()
  const { attachTo, did } = fakeSocket()
  watcher.send(text(1), 1)
  watcher.send(text(2), 1)
  attachTo(watcher)
  watcher.send(text(3), 1)
  expect(did).toEqual(['write 1', 'write 2', 'write 3'])
  expect(counts).toEqual({ sent: 3, tooSlow: 0 })
})

describe('a client that can not keep up is closed with 1013', () => {
  test('after 1,000 messages that are not sent yet, and not before', () => {
    const { watcher, counts } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    for (let index = 0; index < bufferedMessagesMax; index += 1) watcher.send(text(), 1)
    expect(did).not.toContain('close 1013 too slow')
    watcher.send(text(), 1)
    expect(did.at(-1)).toBe('close 1013 too slow')
    expect(counts).toEqual({ sent: 1_000, tooSlow: 1 })
  })

  test('however few writes they came in', () => {
    const { watcher, counts } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.send(text(), bufferedMessagesMax)
    expect(did).toEqual(['write 1'])
    watcher.send(text(), 1)
    expect(did.at(-1)).toBe('close 1013 too slow')
    expect(counts).toEqual({ sent: 1_000, tooSlow: 1 })
  })

  test('after 1 MiB that is not sent yet, and not before', () => {
    const { watcher } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.send(text(bufferedBytesMax), 1)
    expect(did).not.toContain('close 1013 too slow')
    watcher.send(text(1), 1)
    expect(did.at(-1)).toBe('close 1013 too slow')
  })

  test('also while its upgrade is not done', () => {
    const { watcher, counts } = watcherOf()
    const { attachTo, did } = fakeSocket()
    watcher.send(text(bufferedBytesMax), 1)
    watcher.send(text(1), 1)
    attachTo(watcher)
    expect(did).toEqual(['close 1013 too slow'])
    expect(counts.tooSlow).toBe(1)
  })

  test('and is given time to read as far as the close frame', () => {
    const { watcher } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.send(text(bufferedBytesMax), 1)
    watcher.send(text(1), 1)
    jest.advanceTimersByTime(10_000)
    expect(did.at(-1)).toBe('close 1013 too slow')
  })

  test('but not for one message, however large, that it has had no time to take', () => {
    const { watcher, counts } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.send(text(2 * bufferedBytesMax), 1)
    expect(did).toEqual([`write ${2 * bufferedBytesMax}`])
    expect(counts.tooSlow).toBe(0)
  })

  test.each(['before', 'after'])(
    'but not for however much comes at once %s its upgrade, when it has taken all before',
    (when) => {
      const { watcher, counts } = watcherOf()
      const { attachTo, did } = fakeSocket()
      if (when === 'after') attachTo(watcher)
      watcher.send(text(2 * bufferedBytesMax), 2 * bufferedMessagesMax)
      if (when === 'before') attachTo(watcher)
      expect(did).toEqual([`write ${2 * bufferedBytesMax}`])
      expect(counts).toEqual({ sent: 2 * bufferedMessagesMax, tooSlow: 0 })
    },
  )

  test('but never as long as its socket takes what comes', () => {
    const { watcher } = watcherOf()
    const { attachTo, did, flush } = fakeSocket()
    attachTo(watcher)
    for (let round = 0; round < 20; round += 1) {
      for (let index = 0; index < 900; index += 1) watcher.send(text(1_000), 1)
      flush()
    }
    expect(did).toHaveLength(18_000)
  })
})

test('to a client that has said goodbye nothing more is written', () => {
  const { watcher, counts } = watcherOf()
  const { attachTo, did, sayGoodbye } = fakeSocket()
  attachTo(watcher)
  sayGoodbye()
  watcher.send(text(), 1)
  expect(did).toEqual([])
  expect(counts.sent).toBe(0)
})

describe('once it ends', () => {
  test('nothing more is sent, and only the first reason counts', () => {
    const { watcher } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.end(closing.tokenDead)
    watcher.end(closing.gone)
    watcher.send(text(), 1)
    expect(did).toEqual(['close 4401 token expired or revoked'])
  })

  test('a client that does not answer the close frame is cut off', () => {
    const { watcher } = watcherOf()
    const { attachTo, did } = fakeSocket()
    attachTo(watcher)
    watcher.end(closing.disabled)
    jest.advanceTimersByTime(2_000)
    expect(did).toEqual(['close 4403 stream disabled', 'terminate'])
  })

  test('before the upgrade is done, the socket is closed as soon as it is there, and shows nothing', () => {
    const { watcher } = watcherOf()
    const { attachTo, did } = fakeSocket()
    watcher.send(text(), 1)
    watcher.end(closing.gone)
    attachTo(watcher)
    expect(did).toEqual(['close 4410 stream gone'])
  })
})

// Slow clients: slow with their preface, their header blocks, their bodies, or with reading our responses. Each is
// disconnected in time, and other clients are not affected.
import * as net from 'node:net'
import { pollUntil } from '@weir/kit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  codes,
  connectByHand,
  data,
  endHeaders,
  frame,
  frameTypes,
  initialWindow,
  literal,
  post,
  preface,
  settings,
  streamIds,
  windowUpdate,
} from '../../conformance/frames.ts'
import type { ByHand } from '../../conformance/frames.ts'
import { startAttacked, undisturbed } from './attacked.ts'
import type { Attacked } from './attacked.ts'

const everyMs = 100
const deadlineMs = 60_000
const timeouts = { firstBytesTimeoutMs: 2_000, bodyTimeoutMs: 4_000, idleTimeoutMs: 6_000 }

let server: Attacked
/** All attacks run at the same time, each on connections of its own, while a well-behaved client is measured. */
let outcomes: ReadonlyMap<string, unknown>
beforeAll(async () => {
  server = await startAttacked({ timeouts })
  outcomes = await undisturbed(server, async () => {
    const ended = attacks.map(async ({ name, run }) => [name, await run()] as const)
    return new Map(await Promise.all(ended))
  })
})
afterAll(() => server.stop())

/** Sends the same piece repeatedly until the attack is over. */
async function dripping<T>(client: ByHand, piece: Buffer, outcome: Promise<T>): Promise<T> {
  const timer = setInterval(() => client.send(piece), 100)
  try {
    return await outcome
  } finally {
    clearInterval(timer)
    client.socket.destroy()
  }
}

type Attack = {
  readonly name: string
  readonly run: () => Promise<unknown>
  readonly ends: unknown
}

const attacks: readonly Attack[] = [
  {
    name: 'a preface that comes byte by byte is not waited for',
    async run() {
      const socket = net.connect(server.port, '127.0.0.1').on('error', () => {})
      let sent = 0
      const timer = setInterval(() => socket.write(preface.subarray(sent, ++sent)), 500)
      socket.resume()
      await new Promise((resolve) => socket.once('close', resolve))
      clearInterval(timer)
      return sent < preface.length
    },
    ends: true,
  },
  {
    name: 'a client that sends its preface and then nothing is disconnected',
    async run() {
      const socket = net.connect(server.port, '127.0.0.1').on('error', () => {})
      socket.resume().write(preface)
      await new Promise((resolve) => socket.once('close', resolve))
      return socket.destroyed
    },
    ends: true,
  },
  ...[
    ['SETTINGS', settings()] as const,
    ['PING', frame(frameTypes.ping, 0, 0, Buffer.alloc(8))] as const,
  ].map(([what, piece]) => ({
    name: `${what} without end does not keep a connection alive on which nothing is asked`,
    run() {
      const client = connectByHand(server.port)
      return dripping(client, piece, client.goneAway())
    },
    ends: codes.noError,
  })),
  {
    name: 'an idle connection hears GOAWAY without an error',
    run: () => connectByHand(server.port).goneAway(),
    ends: codes.noError,
  },
  {
    name: 'a header block that never ends does not keep its connection alive',
    run() {
      const client = connectByHand(server.port)
      client.send(post(1, '/', 0))
      const piece = frame(frameTypes.continuation, 0, 1, literal('a', 'b'))
      return dripping(client, piece, client.goneAway())
    },
    ends: codes.enhanceYourCalm,
  },
  {
    name: 'a frame that never ends does not keep its connection alive',
    run() {
      const client = connectByHand(server.port)
      client.send(frame(frameTypes.data, 0, 1, Buffer.alloc(16_384)).subarray(0, 9))
      return dripping(client, Buffer.alloc(1), client.goneAway())
    },
    ends: codes.noError,
  },
  {
    name: 'a body that comes byte by byte ends its stream in time',
    run() {
      const client = connectByHand(server.port)
      client.send(post(1, '/', endHeaders))
      return dripping(client, data(1, Buffer.of(0)), client.wasReset(1))
    },
    ends: codes.cancel,
  },
  {
    name: 'a body that nobody reads and that never ends does not hold back its answer for ever',
    async run() {
      const client = connectByHand(server.port)
      client.send(
        post(1, '/large', endHeaders),
        windowUpdate(0, 2_000_000),
        windowUpdate(1, 2_000_000),
      )
      const outcome = Promise.all([client.answered(1), client.wasReset(1)])
      const [answer, code] = await dripping(client, data(1, Buffer.of(0)), outcome)
      return [answer.type, code]
    },
    ends: [frameTypes.headers, codes.noError],
  },
  {
    name: 'an answer for which there is never any window ends its stream',
    async run() {
      const client = connectByHand(server.port, settings([initialWindow, 0]))
      client.send(...streamIds(100).map((id) => post(id, '/large')))
      const seen = await Promise.all(streamIds(100).map((id) => client.wasReset(id)))
      client.socket.destroy()
      return [...new Set(seen)]
    },
    ends: [codes.cancel],
  },
  {
    name: 'an answer that is taken byte by byte ends its stream',
    run() {
      const client = connectByHand(server.port, settings([initialWindow, 0]))
      client.send(post(1, '/large'))
      return dripping(client, windowUpdate(1, 1), client.wasReset(1))
    },
    ends: codes.cancel,
  },
]

test.each(attacks)('$name', ({ name, ends }) => {
  expect(outcomes.get(name)).toEqual(ends)
})

test('answers that a client never reads are not piled up, and end its connection (CVE-2019-9517)', async () => {
  const [grown, closed] = await undisturbed(server, async () => {
    const before = (await server.memory()).bytes
    const windows = settings([initialWindow, 0x7fff_ffff])
    const clients = streamIds(10).map(() => connectByHand(server.port, windows))
    for (const client of clients) {
      client.socket.pause()
      const requests = streamIds(100).map((id) => post(id, '/large'))
      client.send(windowUpdate(0, 0x7fff_0000 - 65_535), ...requests)
    }
    let most = 0
    const watch = async (): Promise<boolean> => {
      most = Math.max(most, (await server.memory()).bytes - before)
      return clients.every(({ socket }) => socket.destroyed)
    }
    for (const { socket } of clients) socket.once('close', () => {})
    // The kernel keeps earlier data, so the sockets detect the end only when they write.
    const pinging = setInterval(() => {
      for (const { socket, send } of clients) if (!socket.destroyed) send(settings())
    }, 100)
    try {
      const isOver = await pollUntil(watch, { deadlineMs, everyMs })
      return [most, isOver] as const
    } finally {
      clearInterval(pinging)
    }
  })
  expect(closed).toBe(true)
  expect(grown).toBeLessThan(20 * 1_048_576) // a hundredth of what was requested
})

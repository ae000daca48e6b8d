// The limits of one client: streams, window, header lists, held bytes. Beyond a limit the stream or the connection ends
// with the code for the reason, and other clients are not affected.
import { pollUntil } from '@weir/kit'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  codes,
  connectByHand,
  data,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headers,
  literal,
  post,
  postHead,
  reset,
  streamIds,
  text,
  times,
  windowUpdate,
} from '../../conformance/frames.ts'
import type { ByHand, Frame } from '../../conformance/frames.ts'
import { startAttacked, undisturbed } from './attacked.ts'
import type { Attacked } from './attacked.ts'

const deadlineMs = 60_000
const windowMax = 0x7fff_ffff
const mebibyte = 1_048_576
const nothing: Buffer = Buffer.alloc(0)

describe('one connection', () => {
  let server: Attacked
  let client: ByHand
  beforeAll(async () => {
    server = await startAttacked()
  })
  afterAll(() => server.stop())

  const attack = <T>(frames: readonly Buffer[], outcome: () => Promise<T>): Promise<T> =>
    undisturbed(server, async () => {
      client = connectByHand(server.port)
      client.send(...frames)
      const seen = await outcome()
      client.socket.destroy()
      return seen
    })

  test('streams beyond a hundred are refused, and the hundred are answered', async () => {
    const [refused] = await attack(
      streamIds(101).map((id) => post(id, '/hold')),
      async () => {
        const code = await client.wasReset(201)
        await server.letGo()
        return [code, await Promise.all(streamIds(100).map((id) => client.answered(id)))]
      },
    )
    expect(refused).toBe(codes.refusedStream)
  })

  test('cancelling does not make room for more work than two hundred requests', async () => {
    const ids = streamIds(300)
    const beyond = ids.slice(200)
    await attack([], async () => {
      for (const wave of [ids.slice(0, 100), ids.slice(100, 200)]) {
        client.send(...wave.map((id) => post(id, '/hold')))
        const held = ((wave.at(-1) ?? 0) + 1) / 2
        await pollUntil(async () => (await server.memory()).held === held, { deadlineMs })
        client.send(...wave.map((id) => reset(id)))
      }
      client.send(...beyond.map((id) => post(id, '/hold')))
      expect(await client.wasReset(beyond.at(-1) ?? 0)).toBe(codes.refusedStream)
      expect((await server.memory()).held).toBe(200)
      await server.letGo()
    })
    expect((await server.memory()).held).toBe(0)
  })

  test('a window that overflows ends the connection', async () => {
    const twice = [windowUpdate(0, windowMax), windowUpdate(0, windowMax)]
    expect(await attack(twice, () => client.goneAway())).toBe(codes.flowControlError)
  })

  test('the window of a stream that overflows ends the stream', async () => {
    const twice = [post(1, '/hold'), windowUpdate(1, windowMax)]
    expect(await attack(twice, () => client.wasReset(1))).toBe(codes.flowControlError)
  })

  test('more of a body than the stream’s window ends the stream', async () => {
    const frames = [
      post(1, '/hold-unread', endHeaders),
      times(17, () => data(1, Buffer.alloc(16_384))),
    ]
    expect(await attack(frames, () => client.wasReset(1))).toBe(codes.flowControlError)
  })

  test('references to one large field (the HPACK bomb) are a list that is too large', async () => {
    const large = Buffer.concat([
      Buffer.of(0x40),
      text('a'),
      Buffer.from('7fa11e', 'hex'), // 4,000 bytes
      Buffer.alloc(4_000, 'x'),
    ])
    const bombs = times(15, (i) =>
      headers(2 * i + 1, Buffer.concat([postHead('/'), large, Buffer.alloc(12_000, 0xbe)])),
    )
    const isAnswer = ({ type }: Frame): boolean => type === frameTypes.headers
    const answers = await attack([bombs, post(201, '/')], async () => {
      await client.answered(201)
      return client.frames.filter(isAnswer).map(({ payload }) => payload)
    })
    const literal431 = Buffer.from('08033433312', 'hex')
    expect(answers).toHaveLength(16)
    expect(answers.slice(0, 15).every((block) => block.includes(literal431))).toBe(true)
    expect(answers.at(-1)?.[0]).toBe(0x89) // 204
  })

  test('a frame larger than was announced ends the connection', async () => {
    const head = frame(frameTypes.data, 0, 1, Buffer.alloc(16_385)).subarray(0, 9)
    expect(await attack([head], () => client.goneAway())).toBe(6)
  })
})

describe('all connections together', () => {
  const heldBytesMax = 8 * mebibyte
  const timeouts = { bodyTimeoutMs: 3_000 }
  let server: Attacked
  beforeAll(async () => {
    server = await startAttacked({ heldBytesMax, timeouts })
  })
  afterAll(() => server.stop())

  test.each([
    ['', { streams: 60, bytes: 16_000, end: 0 }],
    [
      ' although they announce an end',
      { streams: 60, bytes: 48_000, end: 0, announced: 1_000_000 },
    ],
  ])(
    'bodies that never end%s take no more than the bound allows, and time frees it',
    async (_, bodies) => {
      const clients = streamIds(60).map(() => connectByHand(server.port))
      let peak = 0
      await undisturbed(server, async () => {
        const before = (await server.memory()).bytes
        // The clients try to send at least 58 MB of bodies, none of which ends.
        for (const client of clients) sendWithinWindow(client, bodies)
        const isFreed = async (): Promise<boolean> => {
          peak = Math.max(peak, (await server.memory()).bytes - before)
          return clients.every(({ frames }) => frames.some(({ type }) => type === frameTypes.reset))
        }
        await pollUntil(isFreed, { deadlineMs, everyMs: 100 })
        for (const { socket } of clients) socket.destroy()
      })
      expect(peak).toBeLessThan(4 * heldBytesMax)
    },
  )

  test('while handlers hold more than the bound, windows stay closed; then everything goes on', async () => {
    const bodies = { streams: 60, bytes: 48_000, end: endStream }
    const clients = streamIds(10).map(() => connectByHand(server.port))
    let peak = 0
    await undisturbed(server, async () => {
      const before = (await server.memory()).bytes
      for (const client of clients) sendWithinWindow(client, bodies)
      const isStalled = async (): Promise<boolean> => {
        const { bytes, held } = await server.memory()
        peak = Math.max(peak, bytes - before)
        return held * bodies.bytes > heldBytesMax / 2
      }
      await pollUntil(isStalled, { deadlineMs })
      const answered = (): boolean =>
        clients.every(({ frames }) => frames.filter(isHead).length === bodies.streams)
      const letGo = async (): Promise<boolean> => {
        await server.letGo()
        peak = Math.max(peak, (await server.memory()).bytes - before)
        return answered()
      }
      expect(await pollUntil(letGo, { deadlineMs, everyMs: 100 })).toBe(true)
      for (const { socket } of clients) socket.destroy()
    })
    expect(peak).toBeLessThan(3 * heldBytesMax)
  })
})

const isHead = ({ type }: Frame): boolean => type === frameTypes.headers

type Bodies = { streams: number; bytes: number; end: number; announced?: number }

/** Sends one body after the other, each within the connection's window. */
function sendWithinWindow(client: ByHand, { streams, bytes, end, announced }: Bodies): void {
  const length = announced === undefined ? nothing : literal('content-length', String(announced))
  const head = Buffer.concat([postHead('/hold'), length])
  const isCredit = ({ type, stream }: Frame): boolean =>
    type === frameTypes.windowUpdate && stream === 0
  let sent = 0
  const room = (): number =>
    client.frames
      .filter(isCredit)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 65_535) - sent
  const send = async (): Promise<void> => {
    for (const id of streamIds(streams)) {
      await client.until(() => room() >= bytes)
      client.send(headers(id, head, endHeaders))
      for (let left = bytes; left > 0; left -= 16_000)
        client.send(data(id, Buffer.alloc(16_000), left === 16_000 ? end : 0))
      sent += bytes
    }
  }
  send().catch(() => {}) // the connection was closed first
}

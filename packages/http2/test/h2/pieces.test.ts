// Bodies that slow handlers read in pieces: whatever their number and length, the held memory is bounded, and each body
// is read to its end.
import * as http2 from 'node:http2'
import { delay, pollUntil } from '@weir/kit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { callHttp2 } from '../clients.ts'
import { startAttacked, undisturbed } from './attacked.ts'
import type { Attacked } from './attacked.ts'

const mebibyte = 1_048_576
const deadlineMs = 60_000
const connections = 10
const streams = 10
/** `bytes` is the size of a body, `heldBytesMax` the limit for all connections together. */
const bytes = mebibyte
const heldBytesMax = 8 * mebibyte

let server: Attacked
beforeAll(async () => {
  server = await startAttacked({ heldBytesMax })
})
afterAll(() => server.stop())

test('a hundred bodies that are held up take no more memory than all may hold, and then go on', async () => {
  const before = await server.memory()
  const statuses = await undisturbed(server, async () => {
    const sessions = Array.from({ length: connections }, () =>
      http2.connect(`http://127.0.0.1:${server.port}`, { maxSessionMemory: 100 }),
    )
    const body = Buffer.alloc(bytes)
    const sent = sessions.flatMap((session) =>
      Array.from({ length: streams }, () => callHttp2(session, { path: '/hold-pieces', body })),
    )
    const answering = Promise.all(sent)
    let isOver = false
    answering.finally(() => (isOver = true)).catch(() => {})
    let peak = 0
    const isStill = async (): Promise<boolean> => {
      const first = await server.memory()
      await delay(200)
      const { held, bytes: now } = await server.memory()
      peak = Math.max(peak, now - before.bytes)
      return held > 0 && held === first.held
    }
    await pollUntil(isStill, { deadlineMs, what: 'windows that are closed' })
    const goOn = async (): Promise<boolean> => {
      await server.letGo()
      peak = Math.max(peak, (await server.memory()).bytes - before.bytes)
      return isOver
    }
    await pollUntil(goOn, { deadlineMs, everyMs: 50, what: 'all answers' })
    expect(peak).toBeLessThan(3 * heldBytesMax)
    const answers = await answering
    for (const session of sessions) session.destroy()
    return answers.map(({ status }) => status)
  })
  expect(new Set(statuses)).toEqual(new Set([204]))
})

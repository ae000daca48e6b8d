// Sends events to ingest at a fixed rate over two HTTP/2 connections. Each event has a number in a field that isn't
// encrypted. This module also finds the numbers in derived events, in Avro and in JSON.
import { exampleEvent } from '@weir/testkit'
import { openLoadConnection } from '../load/connection.ts'
import { recordHeaders } from '../load/header-blocks.ts'
import { startPacing, writeDigits } from '../load/pacing.ts'
import type { Pacing } from '../load/pacing.ts'

const connectionCount = 2
const streamsMax = 100
const digits = 9
const before = 'products/'
const sessions = 1_000

export type NumberedPlan = { ingestPort: number; token: string; rate: number; count: number }

/** Returns an event's number, in any of its encodings; NaN if it has none. */
export function numberIn(bytes: Buffer): number {
  const found = bytes.indexOf(before)
  if (found < 0) return NaN
  const at = found + before.length
  return Number(bytes.toString('latin1', at, at + digits))
}

/** Calls `note` for each error. */
export async function sendNumbered(
  { ingestPort: port, token, rate, count }: NumberedPlan,
  note: (error: string) => void,
): Promise<Pacing & { close(): void }> {
  const bodies = await numberedBodies()
  const headers = await headersOf(port, token, bodies[0]?.bytes.length)
  let isOver = false
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () =>
      openLoadConnection({
        port,
        headers,
        streamsMax,
        onAnswer: (status) => (status === 204 ? undefined : note(`status ${status}`)),
        onData: () => {},
        onRoom: () => {},
        onEnd: (why) => (isOver ? undefined : note(why)),
      }),
    ),
  )
  const body = (number: number): Buffer => {
    const next = bodies[number % bodies.length]
    if (next === undefined) throw new Error('there are no bodies')
    writeDigits(next.bytes, { at: next.at, digits }, number)
    return next.bytes
  }
  const pacing = startPacing(connections, { rate, count, body })
  const close = (): void => {
    isOver = true
    for (const connection of connections) connection.close()
  }
  return { ...pacing, close }
}

const headersOf = (port: number, token: string, bytes: number | undefined) =>
  recordHeaders([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/event'],
    [':authority', `127.0.0.1:${port}`],
    ['authorization', `Bearer ${token}`],
    ['svc-schema-id', 'clickstream'],
    ['content-type', 'application/json'],
    ['content-length', String(bytes)],
  ])

/** Returns one body per session, all of the same length. */
async function numberedBodies(): Promise<{ bytes: Buffer; at: number }[]> {
  const event = await exampleEvent('clickstream')
  const url = `https://shop.example.com/${before}${'0'.repeat(digits)}/details?ref=home`
  return Array.from({ length: sessions }, (_, session) => {
    const producerSessionId = `session-${String(session).padStart(4, '0')}`
    const bytes = Buffer.from(JSON.stringify({ ...event, url, producerSessionId }))
    return { bytes, at: bytes.indexOf(before) + before.length }
  })
}

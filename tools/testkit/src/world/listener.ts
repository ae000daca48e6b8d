// A WebSocket client of output that keeps the events it receives.
import WebSocket from 'ws'
import { pollUntil } from '@weir/kit'
import { asObject } from './account.ts'

export type TestListener = {
  events: Record<string, unknown>[]
  /** Resolves once this many events have arrived. Rejects if the socket closes earlier. */
  until(count: number, deadlineMs?: number): Promise<Record<string, unknown>[]>
  closed: Promise<{ code: number; reason: string }>
  close(): void
  socket: WebSocket
}

/** Resolves when the socket is open. Rejects with `status` in the message if the upgrade is refused. */
export function listen(outputUrl: string, token: string, path = '/ws'): Promise<TestListener> {
  const socket = new WebSocket(outputUrl.replace(/^http/, 'ws') + path, {
    headers: { authorization: `Bearer ${token}` },
  })
  const events: Record<string, unknown>[] = []
  socket.on('message', (data: Buffer) => events.push(asObject(JSON.parse(data.toString('utf8')))))
  let end: { code: number; reason: string } | undefined
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve((end = { code, reason: reason.toString() })))
  })
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      reject(new Error(`refused with status ${response.statusCode}`))
    })
    socket.on('error', reject)
    socket.on('open', () =>
      resolve({
        events,
        closed,
        socket,
        close: () => socket.close(),
        async until(count, deadlineMs = 60_000) {
          const hasEnough = (): boolean => events.length >= count
          await pollUntil(() => hasEnough() || end !== undefined, {
            deadlineMs,
            what: `${count} events`,
          })
          if (!hasEnough())
            throw new Error(
              `closed after ${events.length} of ${count} events: ${end?.code} ${end?.reason}`,
            )
          return events
        },
      }),
    )
  })
}

// Clients that know only the balancer: HTTP/1.1 callers that keep their connection, and watchers that reconnect. They
// count the responses and errors that they get, for the test to check.
import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import { delay } from '@weir/kit'
import type { EventAnswer, Sender } from '../../src/load/sender.ts'

/** The number of responses by status, and of missing responses by error code. */
export type Met = Map<string, number>

export const meet = (met: Met, what: string): void => void met.set(what, (met.get(what) ?? 0) + 1)

type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}
type Heard = EventAnswer | { readonly broken: string }

/** A caller with one persistent connection. Every request uses it as long as it is open. */
function createCaller(baseUrl: string): {
  ask(asked: Asked): Promise<Heard>
  close(): void
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask({ method, path, headers, body }) {
      return new Promise((resolve) => {
        const sent = request(baseUrl + path, { agent, method, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
          response.on('error', (error) => resolve({ broken: codeOf(error) }))
        })
        sent.setTimeout(30_000, () => sent.destroy(new Error('no answer')))
        sent.on('error', (error) => resolve({ broken: codeOf(error) }))
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : error.message

/** The load's sender over HTTP/1.1. `met` counts the reasons of missing responses. */
export function createHttp1Sender(met: Met, address: () => string | undefined): Sender {
  let caller: ReturnType<typeof createCaller> | undefined
  return {
    async send({ path, headers, body }) {
      caller ??= createCaller(address() ?? '')
      const length = { 'content-length': String(body.length) }
      const heard = await caller.ask({
        method: 'POST',
        path,
        headers: { ...headers, ...length },
        body,
      })
      if (!('broken' in heard)) return heard
      meet(met, `HTTP/1.1: ${heard.broken}`)
      return undefined
    },
    close: () => caller?.close(),
  }
}

export type Running = { stop(): Promise<void> }

/** Sends requests in a loop. `next` gets the previous response. */
export function keepAsking(
  baseUrl: string,
  met: Met,
  next: (last: Heard | undefined) => Asked,
): Running {
  const caller = createCaller(baseUrl)
  let isRunning = true
  const run = async (): Promise<void> => {
    for (let last: Heard | undefined; isRunning; await delay(50)) {
      const asked = next(last)
      last = await caller.ask(asked)
      const what = 'broken' in last ? last.broken : String(last.status)
      meet(met, `${asked.method} ${asked.path.replace(/[0-9a-f-]{36}/, '…')} ${what}`)
    }
    caller.close()
  }
  const running = run()
  return {
    async stop() {
      isRunning = false
      await running
    },
  }
}

/** A watcher that reconnects as soon as its connection has ended. */
export function keepWatching(baseUrl: string, met: Met, token: string): Running {
  let socket: WebSocket | undefined
  let isRunning = true
  const watch = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}` }
      socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws`, { headers })
      socket.on('error', (error) => isRunning && meet(met, error.message))
      socket.on('open', () => meet(met, 'open'))
      socket.on('close', (code) => {
        if (isRunning) meet(met, `closed ${code}`)
        resolve()
      })
    })
  const run = async (): Promise<void> => {
    for (; isRunning; await delay(50)) await watch()
  }
  const running = run()
  return {
    async stop() {
      isRunning = false
      socket?.terminate()
      await running
    },
  }
}

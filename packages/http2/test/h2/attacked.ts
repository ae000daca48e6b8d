// Starts the attacked server, and a well-behaved client that the attack must not affect.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as http2 from 'node:http2'
import { join } from 'node:path'
import { delay, pollUntil, withTimeout } from '@weir/kit'
import { expect, jest } from '@jest/globals'
import type { ListenOptions } from '../../src/index.ts'
import { callHttp2 } from '../clients.ts'

const deadlineMs = 60_000
jest.setTimeout(60_000)
const calmRequestsMin = 20
/** A client without pauses would take processor time from the other tests. */
const calmPauseMs = 5
/** Permitted growth, for caches and pools that were empty before. */
const grownBytesMax = 8 * 1_048_576

export type Attacked = {
  port: number
  memory(): Promise<{ bytes: number; errors: string[]; held: number }>
  letGo(): Promise<void>
  stop(): void
}

export async function startAttacked(
  options: Partial<Pick<ListenOptions, 'timeouts' | 'heldBytesMax'>> = {},
): Promise<Attacked> {
  const child = fork(join(import.meta.dirname, 'attacked-server.ts'), [JSON.stringify(options)], {
    silent: true,
  })
  child.stderr?.pipe(process.stderr)
  if (child.stdout === null) throw new Error('the server has no output')
  const [line] = await withTimeout(once(child.stdout, 'data'), deadlineMs, 'the server')
  const port = Number(String(line))
  const ask = async (path: string): Promise<string> => {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => {}) // the call fails
    try {
      return (await callHttp2(session, { path })).body
    } finally {
      session.close()
    }
  }
  return {
    port,
    memory: async () => JSON.parse(await ask('/memory')),
    letGo: async () => void (await ask('/let-go')),
    stop: () => void child.kill('SIGKILL'),
  }
}

/**
 * Runs the attack while a client on another connection keeps sending. Every request of that client must succeed, the
 * server must report no error, and its memory must nearly return to its size before the attack.
 */
export async function undisturbed<T>(server: Attacked, attack: () => Promise<T>): Promise<T> {
  const before = await server.memory()
  const calm = startCalmClient(server.port)
  const outcome = await attack()
  const { failures, answered } = await calm.stop()
  expect(failures).toEqual([])
  expect(answered).toBeGreaterThanOrEqual(calmRequestsMin)
  let after = await server.memory()
  const isBack = async (): Promise<boolean> => {
    after = await server.memory()
    return after.bytes - before.bytes < grownBytesMax
  }
  await pollUntil(isBack, { deadlineMs, everyMs: 100 }).catch(() => {})
  expect(after.bytes - before.bytes).toBeLessThan(grownBytesMax)
  expect(after.errors).toEqual([])
  return outcome
}

function startCalmClient(port: number) {
  const session = http2.connect(`http://127.0.0.1:${port}`)
  const failures: string[] = []
  let answered = 0
  let isOver = false
  session.on('error', (error) => failures.push(String(error)))
  const run = async (): Promise<void> => {
    while (!isOver || answered < calmRequestsMin) {
      const replies = [{ body: 'x'.repeat(500) }, { body: 'x'.repeat(50_000) }].map((call) =>
        callHttp2(session, call).then(({ status }) => status, String),
      )
      for (const status of await Promise.all(replies))
        if (status === 204) answered += 1
        else failures.push(String(status))
      if (failures.length > 0) break
      await delay(calmPauseMs)
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      await running
      session.close()
      return { failures, answered }
    },
  }
}

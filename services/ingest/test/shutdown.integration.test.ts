// SIGTERM under load: every event that got 204 is stored, requests in progress get a response, and the process exits in
// time with exit code 0.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { pollUntil, withTimeout } from '@weir/kit'
import { within } from '@weir/testkit'
import { connect, protocols } from './support/clients.ts'
import { timesStored } from './support/marks.ts'
import { goodRequest, startScene } from './support/scene.ts'
import type { Scene } from './support/scene.ts'

let scene: Scene
let ingest: Service
beforeAll(async () => {
  scene = await startScene()
  ingest = await scene.world.replica('ingest')
})
afterAll(() => scene?.stop())

test('nothing that was accepted is lost when ingest is told to end', async () => {
  const accepted: string[] = []
  const statuses = new Set<number>()
  const clients = await Promise.all(protocols.map((protocol) => connect[protocol](ingest.url)))
  let isEnding = false
  const load = async (worker: number): Promise<void> => {
    const client = clients[worker % clients.length]
    for (let index = 0; client; index += 1) {
      const mark = `${worker}-${index}`
      const parts = { producerSessionId: `${worker}`, eventType: mark }
      const answer = await client.send(await goodRequest(scene.token, parts)).catch(() => undefined)
      if (answer === undefined) return // the connection has ended
      statuses.add(answer.status)
      if (answer.status === 204) accepted.push(mark)
      else if (isEnding) return
    }
  }
  const workers = Array.from({ length: 20 }, (_, worker) => load(worker))
  await pollUntil(() => accepted.length > 300, { deadlineMs: 60_000, what: 'accepting events' })

  process.kill(ingest.pid, 'SIGTERM')
  isEnding = true
  const exitCode = await withTimeout(ingest.exited, 60_000, 'ending')
  await withTimeout(Promise.all(workers), 60_000, 'the last answers')
  for (const client of clients) client.close()

  expect(exitCode).toBe(0)
  expect([...statuses].filter((status) => status !== 204 && status !== 503)).toEqual([])
  const times = await timesStored(scene.reader, scene.input.topic)
  expect(accepted.filter((mark) => times.get(mark) !== 1)).toEqual([])
  expect([...times].filter(([, count]) => count > 1)).toEqual([])
})

test('a connection that nobody uses does not hold it up', async () => {
  const other = await scene.world.replica('ingest')
  const clients = await Promise.all(protocols.map((protocol) => connect[protocol](other.url)))
  for (const client of clients) await client.send(await goodRequest(scene.token))
  process.kill(other.pid, 'SIGTERM')
  expect(await withTimeout(other.exited, within(5_000), 'ending')).toBe(0)
  for (const client of clients) client.close()
})

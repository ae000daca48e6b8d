// The limits of a stream over two replicas of ingest, which share only Kafka. No other replica of ingest runs in this
// test. The demand depends on the speed of the machine, so the test also compares admitted requests with the measured
// demand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'
import { connectProducer, exampleEvent, expectStatus, scale } from '@weir/testkit'
import type { Producer } from '@weir/testkit'
import { startSceneAlone } from '../support/scene.ts'
import type { AloneScene } from '../support/scene.ts'

let scene: AloneScene
let event: string
let ingests: { service: Service; producer: Producer }[]

const join = async (service: Service) => ({ service, producer: await connectProducer(service.url) })

beforeAll(async () => {
  scene = await startSceneAlone()
  event = JSON.stringify(await exampleEvent('clickstream'))
  ingests = [await join(scene.world.ingest), await join(await scene.world.replica('ingest'))]
})
afterAll(async () => {
  for (const { producer } of ingests ?? []) producer.close()
  await scene?.stop()
})

async function streamWith(name: string, limits: object) {
  const stream = await scene.account.input(name, { limits })
  const token = await scene.account.token(stream)
  const send = async (replica: number): Promise<number> => {
    const { producer } = ingests[replica] ?? never()
    return (await producer.send(event, { token, schemaId: 'clickstream' })).status
  }
  return {
    send,
    async limit(changed: object) {
      const path = `/v2/streams/${name}`
      expectStatus(await scene.account.call('PATCH', path, { limits: changed }), 200)
    },
    async stored(): Promise<number> {
      const ends = await scene.reader.admin.offsets.ends(stream.topic, {
        isolation: 'read_committed',
      })
      return Number(ends.reduce((sum, end) => sum + end, 0n))
    },
    async used(): Promise<unknown> {
      const { body } = await scene.account.call('GET', `/v2/streams/${name}/usage?by=1d`)
      return body['total']
    },
  }
}

function never(): never {
  throw new Error('there is no such replica')
}

type Second = { asked: number; taken: number }

/** Sends at the rate that `demand` returns for each replica and second, without waiting for responses. */
async function load(
  send: (replica: number) => Promise<number>,
  seconds: number,
  demand: (replica: number, second: number) => number,
): Promise<Second[]> {
  const tickMs = 20
  const startMs = performance.now()
  const counts: Second[] = []
  const answers: Promise<void>[] = []
  const owed = [0, 0]
  for (let lastMs = startMs; ;) {
    await delay(tickMs)
    const nowMs = performance.now()
    const second = (nowMs - startMs) / 1000
    if (second >= seconds) break
    const count = (counts[Math.floor(second)] ??= { asked: 0, taken: 0 })
    for (const replica of [0, 1]) {
      owed[replica] = (owed[replica] ?? 0) + (demand(replica, second) * (nowMs - lastMs)) / 1000
      // If the test can't keep up, it skips requests, and doesn't send them later.
      for (let sent = 0; (owed[replica] ?? 0) >= 1 && sent < 100; sent += 1) {
        owed[replica] = (owed[replica] ?? 0) - 1
        count.asked += 1
        answers.push(send(replica).then((status) => void (count.taken += Number(status === 204))))
      }
      owed[replica] = Math.min(1, owed[replica] ?? 0)
    }
    lastMs = nowMs
  }
  await Promise.all(answers)
  return counts
}

const sum = (counts: readonly Second[], part: keyof Second): number =>
  counts.reduce((total, count) => total + count[part], 0)

describe('eventRate', () => {
  test('over two replicas is held within 5 %, with uneven load that moves', async () => {
    const rate = scale(1_000, 200)
    const { send, stored } = await streamWith('rate', { eventRate: String(rate) })
    const seconds = 30
    const loads = [
      [1.2 * rate, 0.2 * rate],
      [0.2 * rate, 1.2 * rate],
      [1.4 * rate, 0],
    ]
    const counts = await load(
      send,
      seconds,
      (replica, second) => loads[Math.floor(second / 10)]?.[replica] ?? 0,
    )
    const taken = sum(counts, 'taken')
    const couldBe = counts.reduce((total, { asked }) => total + Math.min(rate, asked), 0)
    expect(taken / seconds).toBeLessThanOrEqual(1.05 * rate)
    expect(taken / couldBe).toBeGreaterThanOrEqual(0.95)
    expect(await stored()).toBe(taken)
  })

  test('holds within a second of being changed, at both replicas', async () => {
    const { send, limit } = await streamWith('changed', { eventRate: '1' })
    await load(send, 2, () => 20)
    await limit({ eventRate: '100000' })
    await delay(1_000)
    const raised = await load(send, 1, () => 50)
    expect(sum(raised, 'taken')).toBe(sum(raised, 'asked'))
    await limit({ eventRate: '1' })
    await delay(1_000)
    const lowered = await load(send, 3, () => 50)
    expect(sum(lowered, 'taken')).toBeLessThanOrEqual(5)
  })
})

describe('eventCount', () => {
  test('is overshot by no more than a second over two replicas, and survives their ends', async () => {
    const limit = scale(10_000, 2_000)
    const { send, stored, used } = await streamWith('count', { eventCount: String(limit) })
    const counts = await load(send, 14, () => 0.045 * limit)
    const taken = sum(counts, 'taken')
    expect(sum(counts, 'asked')).toBeGreaterThan(1.05 * limit)
    expect(taken).toBeGreaterThanOrEqual(limit)
    expect(taken).toBeLessThanOrEqual(
      limit + Math.max(...Object.values(counts).map((count) => count.taken)),
    )
    expect(await stored()).toBe(taken)
    const isCounted = async () => JSON.stringify(await used()).includes(`"events":${taken},`)
    await pollUntil(isCounted, { deadlineMs: 60_000, everyMs: 100, what: 'the usage' })
    expect([await send(0), await send(1)]).toEqual([402, 402])

    await replace(0, (service) => service.stop())
    await replace(1, (service) => service.kill())
    expect([await send(0), await send(1)]).toEqual([402, 402])
  })

  test('of a replica that is killed lacks a second at most, of one that is stopped nothing', async () => {
    const { send, used } = await streamWith('killed', {})
    const eventsUsed = async (): Promise<number> =>
      Number(/"events":(\d+)/.exec(JSON.stringify(await used()))?.[1])
    for (let count = 0; count < 50; count += 1) expect(await send(0)).toBe(204)
    const isCounted = async () => (await eventsUsed()) === 50
    await pollUntil(isCounted, { deadlineMs: 60_000, everyMs: 50, what: 'the usage' })
    for (let count = 0; count < 10; count += 1) expect(await send(0)).toBe(204)
    await replace(0, (service) => service.kill())
    const left = await eventsUsed()
    expect(left).toBeGreaterThanOrEqual(50)
    expect(left).toBeLessThanOrEqual(60)

    for (let count = 0; count < 10; count += 1) expect(await send(1)).toBe(204)
    await replace(1, (service) => service.stop())
    expect(await eventsUsed()).toBe(left + 10)
  })
})

async function replace(replica: number, end: (service: Service) => Promise<void>): Promise<void> {
  const { service, producer } = ingests[replica] ?? never()
  producer.close()
  await end(service)
  ingests[replica] = await join(await scene.world.replica('ingest'))
}

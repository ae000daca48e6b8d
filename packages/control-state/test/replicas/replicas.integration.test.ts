// Heartbeats over a real broker: which replicas see each other, how soon, and which heartbeats are new. Other tests may
// run replicas on the same broker, so each test looks only for its own replicas.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { createAdmin } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import type { HeldKeks } from '../../src/kek/kek-place.ts'
import { followReplicas } from '../../src/replicas/follow-replicas.ts'
import type { ReplicaFollower } from '../../src/replicas/follow-replicas.ts'
import { startHeartbeats } from '../../src/replicas/heartbeat.ts'
import type { Heart } from '../../src/replicas/heartbeat.ts'
import { replicasTopic } from '../../src/replicas/replicas.ts'
import type { Replica, StreamDemand } from '../../src/replicas/replicas.ts'
import { countsTopic } from '../../src/replicas/usage.ts'
import { connect, log } from '../support.ts'

const kafka = connect()
const soon = { deadlineMs: 60_000, everyMs: 20 }
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const admin = createAdmin(kafka)
  for (const topic of [replicasTopic, countsTopic])
    await admin.topics.create({ topic, partitions: 1, config: { 'cleanup.policy': 'compact' } })
  await admin.close()
})
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

type Says = {
  readonly kek?: HeldKeks
  readonly takeDemand?: () => Record<string, StreamDemand>
  readonly derives?: () => readonly string[] | undefined
}

function beat(replica: string, says: Says = {}): Heart {
  const heart = startHeartbeats({
    kafka,
    follower: {
      positions: () => ({ control: 7n, keys: 9n }),
      wrappingKeys: { pending: () => [] },
    },
    kek: { held: async () => [] },
    replica,
    service: 'ingest',
    now: Date.now,
    ...says,
  })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= heart.stop())
  ends.push(stop)
  return { begun: heart.begun, stop }
}

async function follow(onBeat?: (replica: Replica) => void): Promise<ReplicaFollower> {
  const follower = followReplicas({
    kafka,
    now: Date.now,
    log,
    ...(onBeat === undefined ? {} : { onBeat }),
  })
  ends.push(() => follower.close())
  await follower.start()
  return follower
}

const find = (replicas: readonly Replica[], id: string): Replica | undefined =>
  replicas.find((replica) => replica.id === id)

test('every second a replica says what was asked of it and how far it has read', async () => {
  const id = randomUUID()
  const beats: Replica[] = []
  await follow((replica) => {
    if (replica.id === id) beats.push(replica)
  })
  let asked = 0
  beat(id, { takeDemand: () => ({ s: [(asked += 1), 1] }) })
  await pollUntil(() => beats.length >= 3, soon)
  expect(beats.slice(0, 3).map((heard) => heard.beat.streams)).toEqual([
    { s: [1, 1] },
    { s: [2, 1] },
    { s: [3, 1] },
  ])
  expect(beats[0]?.beat).toMatchObject({ service: 'ingest', control: '7', keys: '9' })
})

test('a replica says what it is ready to derive, and when it sent that by its own clocks', async () => {
  const id = randomUUID()
  const beats: Replica[] = []
  await follow((replica) => {
    if (replica.id === id) beats.push(replica)
  })
  const sinceMs = performance.now()
  let ready: string[] | undefined = ['default', 'eu']
  const heart = beat(id, { derives: () => ready })
  await pollUntil(() => beats.length >= 1, soon)
  expect(beats[0]?.beat.derives).toEqual(['default', 'eu'])
  expect(beats[0]?.beat.uptimeMs).toBeGreaterThanOrEqual(Math.floor(sinceMs))
  expect(beats[0]?.beat.uptimeMs).toBeLessThanOrEqual(performance.now())
  expect(beats[0]?.beat.sentMs).toBeLessThanOrEqual(Date.now())
  // When
  ready = undefined
  // Then
  await pollUntil(() => beats.at(-1)?.beat.derives === undefined, soon)
  ready = ['default']
  await pollUntil(() => beats.at(-1)?.beat.derives !== undefined, soon)
  await heart.stop()
  await pollUntil(() => beats.at(-1)?.beat.leaving === true, soon)
  expect(beats.at(-1)?.beat.derives).toBeUndefined()
})

test('a replica says which KEKs it has, and nothing while it cannot tell', async () => {
  const id = randomUUID()
  const beats: Replica[] = []
  await follow((replica) => {
    if (replica.id === id) beats.push(replica)
  })
  let held: string[] | undefined = ['file:open:1']
  beat(id, { kek: { held: async () => held ?? Promise.reject(new Error('no file')) } })
  await pollUntil(() => beats.at(-1)?.beat.keks?.[0] === 'file:open:1', soon)
  held = undefined
  await pollUntil(() => beats.at(-1)?.beat.keks === undefined, soon)
  held = []
  await pollUntil(() => beats.at(-1)?.beat.keks?.length === 0, soon)
})

test('one that starts to follow knows at once who is alive, and who has left since', async () => {
  const [stays, leaves] = [randomUUID(), randomUUID()]
  const first = await follow()
  beat(stays)
  const leaving = beat(leaves)
  const isHere = () => find(first.replicas.live(), stays) && find(first.replicas.live(), leaves)
  await pollUntil(isHere, soon)

  await leaving.stop()

  await pollUntil(() => find(first.replicas.live(), leaves) === undefined, soon)
  const second = await follow()
  expect(find(second.replicas.live(), stays)).toBeDefined()
  expect(find(second.replicas.live(), leaves)).toBeUndefined()
  expect(find(second.replicas.heard(), leaves)).toBeUndefined()
})

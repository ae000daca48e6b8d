// Replicas share partitions by their heartbeats on a real broker. Each replica has its own network. When a test cuts
// this network, the replica can't reach the broker, and seems dead to the others. Names in Kafka are unique to this
// file, and decrypterNames are unique to each test.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { heartbeatValue, replicasTopic, startHeartbeats } from '@weir/control-state'
import { createAdmin, createBatchProducer, createKafka } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import { measured } from '@weir/testkit'
import { connectOverNetwork } from '../../../../../packages/kafka/test/network.ts'
import type { Network } from '../../../../../packages/kafka/test/network.ts'
import { createOwners } from '../../../src/derive/owners/owners.ts'
import type { Owners } from '../../../src/derive/owners/owners.ts'
import { readyNames } from '../../../src/derive/owners/ready.ts'

const log = createLog('owners-test', process.env['LOG_LEVEL'] ?? 'silent')
const prefix = `owners-${randomUUID().slice(0, 8)}.`
const partitions = Array.from({ length: 60 }, (_, n) => ({
  streamId: `stream-${n % 6}`,
  partition: Math.floor(n / 6),
}))
const soon = { deadlineMs: 60_000, everyMs: 20 }
const silenceMs = 10_000
const ends: (() => Promise<unknown>)[] = []
let admin: Kafka

beforeAll(async () => {
  const { kafka } = await openNetwork()
  admin = kafka
  const { topics, close } = createAdmin(kafka)
  const config = { 'cleanup.policy': 'compact', 'message.timestamp.type': 'LogAppendTime' }
  await topics.create({ topic: replicasTopic, partitions: 1, config })
  await close()
})

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

async function openNetwork(): Promise<Network> {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:19092').split(',')
  const network = await connectOverNetwork(brokers[0])
  const own = { brokers: network.brokers, clientId: 'weir-owners-test', log, prefix }
  return { ...network, kafka: createKafka(own) }
}

type Scene = { readonly decrypterName: string; readonly isReady?: () => boolean }
type Replica = {
  readonly owners: Owners
  readonly network: Network
  changes: number
  begin(): void
  leave(): Promise<void>
}

async function openReplica({ decrypterName, isReady = () => true }: Scene): Promise<Replica> {
  const network = await openNetwork()
  const { kafka } = network
  const self = randomUUID()
  const owners = createOwners({ kafka, self, log })
  const follower = {
    positions: () => ({ control: 0n, keys: 0n }),
    wrappingKeys: { pending: () => [] },
    isFresh: isReady,
  }
  const derives = readyNames({ follower, decrypterNames: [decrypterName] })
  let heart: ReturnType<typeof startHeartbeats> | undefined
  const replica: Replica = {
    owners,
    network,
    changes: 0,
    begin() {
      const kek = { held: async () => [] }
      const how = { kafka, follower, kek, replica: self, service: 'output', now: Date.now } as const
      heart = startHeartbeats({ ...how, derives })
    },
    async leave() {
      const leaving = heart
      heart = undefined
      await leaving?.stop()
    },
  }
  owners.onChange(() => void (replica.changes += 1))
  ends.push(async () => {
    await replica.leave()
    await owners.close()
  })
  return replica
}

async function startReplicas(count: number, scene: Scene): Promise<Replica[]> {
  const replicas = await Promise.all(Array.from({ length: count }, () => openReplica(scene)))
  for (const each of replicas) each.begin()
  await Promise.all(replicas.map(({ owners }) => owners.start()))
  return replicas
}

const ownedBy = ({ owners }: Replica, name: string): number[] =>
  partitions.flatMap((of, index) => (owners.isMine(of, name) ? [index] : []))

function ownersOf(replicas: readonly Replica[], name: string): { least: number; most: number } {
  const owned = replicas.map((each) => new Set(ownedBy(each, name)))
  const counts = partitions.map((_, index) => owned.filter((each) => each.has(index)).length)
  return { least: Math.min(...counts), most: Math.max(...counts) }
}
const haveOneEach = (replicas: readonly Replica[], name: string): boolean => {
  const { least, most } = ownersOf(replicas, name)
  return least === 1 && most === 1
}

test('replicas that start share the partitions, and one that leaves gives its own away at once', async () => {
  const decrypterName = randomUUID()
  const replicas = await startReplicas(3, { decrypterName })
  const [a, b, c] = replicas
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were started')
  const allOwn = () => replicas.every((each) => ownedBy(each, decrypterName).length > 5)
  await pollUntil(() => allOwn() && haveOneEach(replicas, decrypterName), soon)
  const [keptByA, changesBefore] = [ownedBy(a, decrypterName), a.changes]
  // When
  const startedAt = performance.now()
  await c.leave()
  await pollUntil(() => haveOneEach([a, b], decrypterName), soon)
  // Then
  expect(performance.now() - startedAt).toBeLessThan(measured(silenceMs / 2))
  expect(ownedBy(a, decrypterName)).toEqual(expect.arrayContaining(keptByA))
  await pollUntil(() => ownedBy(c, decrypterName).length === 0, soon)
  await pollUntil(() => a.changes > changesBefore, soon)
})

test('one that loses the broker refuses itself before others have its partitions, 10 s later, and comes back', async () => {
  const decrypterName = randomUUID()
  const replicas = await startReplicas(2, { decrypterName })
  const [stays, lost] = replicas
  if (stays === undefined || lost === undefined) throw new Error('two were started')
  const bothOwn = () => replicas.every((each) => ownedBy(each, decrypterName).length > 5)
  await pollUntil(() => bothOwn() && haveOneEach(replicas, decrypterName), soon)
  const changesBefore = lost.changes
  // When
  const startedAt = performance.now()
  lost.network.cut()
  let most = 0
  await pollUntil(() => {
    most = Math.max(most, ownersOf(replicas, decrypterName).most)
    return haveOneEach([stays], decrypterName)
  }, soon)
  // Then
  expect(most).toBe(1)
  expect(performance.now() - startedAt).toBeGreaterThan(silenceMs / 2)
  expect(ownedBy(lost, decrypterName)).toEqual([])
  expect(lost.changes).toBeGreaterThan(changesBefore)
  // When
  lost.network.mend()
  // Then
  await pollUntil(() => bothOwn() && haveOneEach(replicas, decrypterName), soon)
})

test('a replica owns nothing before it has read its own heartbeat, nor while it is not ready', async () => {
  const decrypterName = randomUUID()
  let isReady = false
  const replica = await openReplica({ decrypterName, isReady: () => isReady })
  let hasStarted = false
  const starting = replica.owners.start().then(() => void (hasStarted = true))
  await replica.owners.catchUp()
  expect(hasStarted).toBe(false)
  // When
  replica.begin()
  await starting
  expect(ownedBy(replica, decrypterName)).toEqual([])
  isReady = true
  // Then
  await pollUntil(() => haveOneEach([replica], decrypterName), soon)
  await replica.owners.close()
  expect(ownedBy(replica, decrypterName)).toEqual([])
})

test('who catches up knows what was written before', async () => {
  const decrypterName = randomUUID()
  const replicas = await startReplicas(2, { decrypterName })
  const [a, b] = replicas
  if (a === undefined || b === undefined) throw new Error('two were started')
  await pollUntil(() => haveOneEach(replicas, decrypterName), soon)
  await b.leave()
  await a.owners.catchUp()
  expect(haveOneEach([a], decrypterName)).toBe(true)
})

const readable = {
  service: 'ingest',
  sentMs: 0,
  uptimeMs: 0,
  spanMs: 1,
  control: '0',
  keys: '0',
  streams: {},
} as const

test('a replica owns nothing while there is a heartbeat that it cannot read', async () => {
  const decrypterName = randomUUID()
  const [replica] = await startReplicas(1, { decrypterName })
  if (replica === undefined) throw new Error('one was started')
  await pollUntil(() => haveOneEach([replica], decrypterName), soon)
  const producer = createBatchProducer(admin, { produceTimeoutMs: 5_000, inFlightBytesMax: 1_000 })
  const write = (value: Buffer) =>
    producer.send(replicasTopic, 0, { key: 'newer', value, headers: {}, timestampMs: Date.now() })
  // When
  await write(Buffer.from('{"type":"heartbeat","version":99}'))
  // Then
  await pollUntil(() => ownedBy(replica, decrypterName).length === 0, soon)
  await write(heartbeatValue(readable))
  await pollUntil(() => haveOneEach([replica], decrypterName), soon)
  await producer.close()
})

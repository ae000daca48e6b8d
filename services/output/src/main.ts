// Composes output: configuration, control state, the derivers and the gateway. Nothing is decided here.
import { randomUUID } from 'node:crypto'
import { createOpener } from '@weir/fieldcrypt'
import { listenNode } from '@weir/http2'
import { createAdmin, createDeadTopics, createKafka, createRangeReader } from '@weir/kafka'
import { createLog, createMetrics, onShutdown, readTls, startAdmin } from '@weir/kit'
import {
  createAccounts,
  createGate,
  followState,
  forgetPeople,
  loadKek,
  startHeartbeats,
} from '@weir/streams'
import { createCallers } from './callers.ts'
import { readConfig } from './config.ts'
import { createDerivers } from './derivers.ts'
import { createGateway } from './gateway.ts'
import { createKnownContracts } from './known-contracts.ts'
import { createOutputMetrics } from './metrics.ts'
import { createRoutes } from './routes.ts'
import { createStreamDeriver } from './stream-deriver.ts'
import { createStreamFeed } from './stream-feed.ts'
import { createTurns } from './turns.ts'

const peopleMax = 100_000

const config = readConfig(process.env)
const log = createLog('output', config.LOG_LEVEL)
const registry = createMetrics('output')
const kafka = createKafka({ brokers: config.KAFKA_BROKERS, clientId: 'weir-output', log })
const follower = followState({
  kafka,
  service: 'output',
  kek: await loadKek(config.KEK_FILE),
  mayUseRing: (ring) => ring === 'open' || ring.startsWith('level.'),
  log,
})
const contract = createKnownContracts(follower.tables)
const opener = createOpener({ entriesMax: peopleMax })
forgetPeople(follower, opener)
const metrics = createOutputMetrics(registry, {
  lags: () => derivers.lags(),
  lagSeriesMax: config.LAG_SERIES_MAX,
})
const kafkaAdmin = createAdmin(kafka)
const derivation = { kafka, follower, contract, opener, metrics, log, now: Date.now }
const decrypterNames = config.DECRYPTER_NAMES
const deriver = createStreamDeriver(derivation)
const derivers = createDerivers({ follower, decrypterNames, deriver, log })
const dead = createDeadTopics(kafka)
const reader = createRangeReader(kafka)
const gateway = createGateway({
  gate: createGate({ follower, issuer: config.AUTH_PUBLIC_URL, now: Date.now }),
  follower,
  feed: createStreamFeed({ kafka, admin: kafkaAdmin, follower, contract, log }),
  counts: metrics.gateway,
  log,
})

let stopHeart = async (): Promise<void> => {}
let stopping = false
const listener = await listenNode({
  host: config.OUTPUT_HOST,
  port: config.OUTPUT_PORT,
  ...(await readTls(config)),
  server: createRoutes(gateway, {
    ...derivation,
    callers: createCallers(createAccounts(follower), follower),
    inTurn: createTurns({ atOnceMax: 4, waitingMax: 32, waitingOfOneMax: 4 }),
    decrypterNames,
    dead,
    reader,
    admin: kafkaAdmin,
  }),
})
const admin = await startAdmin({
  host: config.OUTPUT_HOST,
  port: config.OUTPUT_ADMIN_PORT,
  registry,
  readiness: () => (stopping ? ['shutting down'] : follower.notReady()),
})
onShutdown(log, [
  { name: 'unready', run: async () => void (stopping = true) },
  { name: 'gateway', run: () => gateway.close() },
  { name: 'derivers', run: () => derivers.close() },
  { name: 'listener', run: () => listener.close(1_000) },
  { name: 'heartbeats', run: () => stopHeart() },
  { name: 'control state', run: () => follower.close() },
  { name: 'Kafka', run: () => closeAll([dead, reader, kafkaAdmin]) },
  { name: 'admin port', run: () => admin.close() },
])
log.info({ port: listener.port, adminPort: admin.port }, 'listening')
await follower.start()
derivers.start()
const self = { replica: randomUUID(), service: 'output' } as const
const heart = startHeartbeats({ kafka, follower, ...self, now: Date.now })
stopHeart = async () => heart.stop()
log.info('control state is read; ready')

async function closeAll(clients: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(clients.map((client) => client.close()))
}

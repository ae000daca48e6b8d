// Composes output: configuration, control state, the derivers and the gateway. It contains no decisions.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createOpener } from '@weir/fieldcrypt'
import { listenNode } from '@weir/http2'
import { createAdmin, createKafka, createRangeReader, kafkaAccess } from '@weir/kafka'
import {
  createLog,
  createMetrics,
  createGuesses,
  createPageOf,
  createProxies,
  followTls,
  onShutdown,
  startAdmin,
  startConfig,
} from '@weir/kit'
import {
  createAccounts,
  createGate,
  followState,
  forgetPeople,
  loadKek,
  openAccessTrace,
  startHeartbeats,
} from '@weir/control-state'
import { openTracing } from '@weir/trace'
import { createCallerWithRole } from './access/callers.ts'
import { configSchema } from './config.ts'
import type { Config } from './config.ts'
import { createDeadLetterTopics } from './dead-letters/dead-letter-topics.ts'
import { createDeriving } from './derive/deriving.ts'
import { createGateway } from './websocket/gateway.ts'
import { createKnownContracts } from './derive/known-contracts.ts'
import { mayUnwrapOf } from './derive/levels.ts'
import { createOutputMetrics } from './metrics.ts'
import { createRoutes } from './api/routes.ts'
import { createOpenings } from './derive/openings.ts'
import { createOwners } from './derive/owners/owners.ts'
import { readyNames } from './derive/owners/ready.ts'
import { createPartitionLogs } from './derive/partition-logs.ts'
import { createStreamFeed } from './websocket/stream-feed.ts'
import { createConcurrencyLimiter } from './access/concurrency-limiter.ts'

const peopleMax = 150_000
/** A part of the 10 s that a shutdown may take. */
const graceMs = 5_000
/** Built by clients/console. */
const consoleFolder = join(import.meta.dirname, '../../../clients/console/dist')

const config = startConfig<Config>('output', configSchema, process.env)
const log = createLog('output', config.LOG_LEVEL)
const registry = createMetrics('output')
const proxies = createProxies(config.TRUSTED_PROXIES)
const guesses = createGuesses({ now: Date.now, proxies })
const kafka = createKafka({ ...kafkaAccess(config), clientId: 'weir-output', log })
const kek = await loadKek(config)
const following = followState({
  kafka,
  service: 'output',
  kek,
  mayUnwrap: mayUnwrapOf(config.OUTPUT_LEVELS),
  log,
})
const { follower } = following
const contract = createKnownContracts(follower.tables)
const opener = createOpener({ entriesMax: peopleMax })
forgetPeople(follower, opener)
const metrics = createOutputMetrics(registry, {
  lags: () => deriving.lags(),
  lagSeriesMax: config.LAG_SERIES_MAX,
  denied: () => deriving.denied(),
})
const kafkaAdmin = createAdmin(kafka)
const { offsets } = kafkaAdmin
const openings = createOpenings(follower)
const derivation = { kafka, follower, contract, opener, openings, metrics, log, now: Date.now }
const decrypterNames = config.DECRYPTER_NAMES
const tracing = await openTracing(config, { service: 'output', log, count: metrics.spans })
const kafkaPrefix = config.KAFKA_PREFIX
const levels = config.OUTPUT_LEVELS
const replica = randomUUID()
const owners = createOwners({ kafka, self: replica, log, onLease: metrics.lease })
const logs = createPartitionLogs({ kafka, kafkaPrefix, log })
const deriving = createDeriving({
  ...derivation,
  tracing,
  kafkaPrefix,
  decrypterNames,
  levels,
  owners,
  logs,
  offsets,
})
const reader = createRangeReader(kafka)
const dead = createDeadLetterTopics({ kafka, kafkaPrefix, reader, offsets })
const pageOf = createPageOf(config)
const trace = openAccessTrace(kafka, log)
const accounts = createAccounts(follower, Date.now, trace.used)
const gate = createGate({ follower, issuer: config.AUTH_PUBLIC_URL, now: Date.now })
const gateway = createGateway({
  accounts,
  trace,
  gate,
  follower,
  feed: createStreamFeed({ ...derivation, offsets }),
  counts: metrics.gateway,
  guesses,
  webSocketsMax: config.WEBSOCKETS_PER_CREDENTIAL_MAX,
  log,
  pageOf,
})

let stopHeart = async (): Promise<void> => {}
let stopping = false
let isHeard = false
const notHeard = (): string[] => (isHeard ? [] : ['this replica has not written a heartbeat yet'])
const listener = await listenNode({
  host: config.OUTPUT_HOST,
  port: config.OUTPUT_PORT,
  connectionsMax: config.CONNECTIONS_MAX,
  isProxy: proxies.has,
  ...(await followTls(config, { log, registry })),
  server: createRoutes(gateway, {
    ...derivation,
    callerWithRole: createCallerWithRole(accounts, follower),
    gate,
    limited: createConcurrencyLimiter({ atOnceMax: 4, waitingMax: 32, waitingOfOneMax: 4 }),
    limitedKeys: createConcurrencyLimiter({ atOnceMax: 32, waitingMax: 128, waitingOfOneMax: 4 }),
    proxies,
    guesses,
    decrypterNames,
    kafkaPrefix,
    levels,
    isStopping: () => stopping,
    dead,
    reader,
    trace,
    logs,
    offsets,
    console: {
      folder: consoleFolder,
      authUrl: config.CONSOLE_AUTH_URL ?? config.AUTH_PUBLIC_URL,
      ingestUrl: config.CONSOLE_INGEST_URL,
    },
    pageOf,
  }),
})
const admin = await startAdmin({
  host: config.OUTPUT_HOST,
  port: config.OUTPUT_ADMIN_PORT,
  registry,
  readiness: () => (stopping ? ['shutting down'] : [...following.notReady(), ...notHeard()]),
})
onShutdown(log, [
  { name: 'unready', run: async () => void (stopping = true) },
  { name: 'gateway', run: () => gateway.close() },
  {
    name: 'deriving and listener',
    run: async () => void (await Promise.all([deriving.close(), listener.close(graceMs)])),
  },
  { name: 'traces', run: async () => tracing?.close() },
  { name: 'notices', run: () => trace.close() },
  { name: 'heartbeats', run: () => stopHeart() },
  { name: 'control state', run: () => following.close() },
  { name: 'Kafka', run: () => closeAll([owners, logs, reader, kafkaAdmin]) },
  { name: 'admin port', run: () => admin.close() },
])
log.info({ port: listener.port, adminPort: admin.port }, 'listening')
await following.start()
const self = { replica, service: 'output' } as const
const heart = startHeartbeats({
  kafka,
  follower: { ...follower, ...openings },
  kek,
  ...self,
  now: Date.now,
  derives: readyNames({ follower, decrypterNames }),
})
stopHeart = async () => heart.stop()
// An erasure waits only for replicas that have written a heartbeat. So this replica derives nothing before its first
// heartbeat.
await heart.begun
isHeard = true
await owners.start()
if (!stopping) deriving.start()
log.info('control state is read; ready')

async function closeAll(clients: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(clients.map((client) => client.close()))
}

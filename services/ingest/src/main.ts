// Composes ingest: configuration, control state, encryption, Kafka, the listener. It contains no decisions.
import { createSealer } from '@weir/fieldcrypt'
import { listenHttp } from '@weir/http2'
import { createBatchProducer, createKafka, kafkaAccess } from '@weir/kafka'
import {
  createCors,
  createFaultLog,
  createLog,
  createMetrics,
  createPageOf,
  createProxies,
  followTls,
  oncePerTurn,
  onShutdown,
  startAdmin,
  startConfig,
} from '@weir/kit'
import {
  ERASURE_LOG_KEY,
  accountOfTopic,
  createGate,
  followState,
  forgetPeople,
  loadKek,
  onStreamGone,
  topicOf,
} from '@weir/control-state'
import { openTracing } from '@weir/trace'
import { createActiveContracts } from './event/active-contracts.ts'
import { createBacklog } from './events/backlog.ts'
import { backlogOf, heldBytesMaxOf, configSchema } from './config.ts'
import type { Config } from './config.ts'
import { refreshWithin } from './event/refresh-within.ts'
import { createIngestMetrics } from './metrics.ts'
import { createRoutes } from './routes.ts'
import { shareEventsWith } from './share-with.ts'
import { createSharing } from './limits/sharing.ts'
import { createStore } from './event/store.ts'
import { createSubjects } from './event/subjects.ts'
import { createLongWork } from './event/long-work.ts'

const peopleMax = 75_000

const config = startConfig<Config>('ingest', configSchema, process.env)
const log = createLog('ingest', config.LOG_LEVEL)
const registry = createMetrics('ingest')
const kafka = createKafka({ ...kafkaAccess(config), clientId: 'weir-ingest', log })
const proxies = createProxies(config.TRUSTED_PROXIES)
const kek = await loadKek(config)
const mayUnwrap = (keyName: string): boolean => keyName !== 'sign' && keyName !== ERASURE_LOG_KEY
const following = followState({ kafka, service: 'ingest', kek, mayUnwrap, log })
const follower = refreshWithin(following.follower, config.PRODUCE_TIMEOUT_MS)
const producer = createBatchProducer(kafka, {
  produceTimeoutMs: config.PRODUCE_TIMEOUT_MS,
  inFlightBytesMax: config.IN_FLIGHT_BYTES_MAX,
  partyOf: accountOfTopic,
  compression: config.PRODUCE_COMPRESSION,
  onBatch: (batch) => metrics.batchStored(batch),
})
const metrics = createIngestMetrics(registry, producer.inFlightBytes)
const tracing = await openTracing(config, { service: 'ingest', log, count: metrics.spans })
const sealer = createSealer({ entriesMax: peopleMax })
const subjects = createSubjects({
  producer,
  waitingBytesMax: config.IN_FLIGHT_BYTES_MAX,
  linksMax: config.SUBJECT_LINKS_MAX,
})
const now = oncePerTurn(Date.now)
const sharing = createSharing({ kafka, follower, kek, now, log })
const gate = createGate({ follower, issuer: config.AUTH_PUBLIC_URL, now })
forgetPeople(follower, sealer)
onStreamGone(follower, (stream) => producer.forgetTopic(topicOf(stream)))

// Requests that wait for Kafka still get a response, as far as the 10 s of a shutdown permit.
const graceMs = Math.min(config.PRODUCE_TIMEOUT_MS + 1_000, 7_000)
let stopping = false
const onError = (error: unknown): void => log.error({ err: error }, 'a request failed')
const listener = await listenHttp({
  host: config.INGEST_HOST,
  port: config.INGEST_PORT,
  connectionsMax: config.CONNECTIONS_MAX,
  isProxy: proxies.has,
  http2: config.INGEST_HTTP,
  heldBytesMax: heldBytesMaxOf(config),
  ...(await followTls(config, { log, registry })),
  onError,
  handler: shareEventsWith(
    createCors({
      origins: config.CONSOLE_ORIGINS,
      requestHeaders: ['svc-schema-id', 'svc-serialization-type'],
    }),
    createRoutes({
      access: gate.check,
      isFresh: oncePerTurn(() => follower.isFresh() && sharing.isRead()),
      limits: sharing.limits,
      contractFor: createActiveContracts(follower),
      store: createStore({ follower, sealer, producer, subjects }),
      longWork: createLongWork(),
      backlog: createBacklog(backlogOf(config)),
      now,
      elapsed: oncePerTurn(() => performance.now()),
      eventBytesMax: config.EVENT_BYTES_MAX,
      schemaIdHeaders: config.SCHEMA_ID_HEADERS,
      metrics,
      onInternal: onError,
      onFault: createFaultLog(log),
      pageOf: createPageOf(config),
      traces: tracing && { tracing, kafkaPrefix: config.KAFKA_PREFIX },
    }),
  ),
})
const admin = await startAdmin({
  host: config.INGEST_HOST,
  port: config.INGEST_ADMIN_PORT,
  registry,
  readiness: () =>
    stopping ? ['shutting down'] : [...following.notReady(), ...sharing.notReady()],
})
onShutdown(log, [
  { name: 'unready', run: async () => void (stopping = true) },
  { name: 'listener', run: () => listener.close(graceMs) },
  { name: 'producer', run: () => producer.close() },
  { name: 'traces', run: async () => tracing?.close() },
  { name: 'usage', run: () => sharing.close() },
  { name: 'control state', run: () => following.close() },
  { name: 'admin port', run: () => admin.close() },
])
log.info({ port: listener.port, adminPort: admin.port }, 'listening')
await following.start()
await sharing.start()
log.info('control state is read; ready')

// Composes auth: configuration, control state and its stewardship, the endpoints, the listener. Nothing is
// decided here.
import { createServer } from 'node:http'
import { listenNode } from '@weir/http2'
import { createAdmin, createKafka, createRegistry } from '@weir/kafka'
import { createLog, createMetrics, onShutdown, readTls, startAdmin } from '@weir/kit'
import { followState, loadKek } from '@weir/streams'
import { createCallers } from './api-keys.ts'
import { readConfig } from './config.ts'
import { createAuthMetrics } from './metrics.ts'
import { loadPlatformKey } from './platform-key.ts'
import { createApp } from './routes.ts'
import { countDead, createSteward } from './steward.ts'
import { createTokenDesk } from './token-desk.ts'

const config = readConfig(process.env)
const issuer = config.AUTH_PUBLIC_URL
const log = createLog('auth', config.LOG_LEVEL)
const metricsRegistry = createMetrics('auth')
const kek = await loadKek(config.KEK_FILE)
const platformKey = await loadPlatformKey(config, log)
const kafka = createKafka({ brokers: config.KAFKA_BROKERS, clientId: 'weir-auth', log })
const kafkaAdmin = createAdmin(kafka)
const registry = createRegistry(config.SCHEMA_REGISTRY_URL)
const follower = followState({ kafka, service: 'auth', kek, mayUseRing: () => true, log })
const metrics = createAuthMetrics(metricsRegistry, () => countDead(follower))
const parts = { config, kafka, admin: kafkaAdmin, follower, kek, registry, metrics, log }
const { stewardship, boot, ...steward } = createSteward(parts)

const app = createApp({
  management: {
    stewardship,
    callers: createCallers(follower, platformKey),
    registry,
    usage: steward.usage.log,
    defaultLimits: {
      eventRate: config.LIMITS_DEFAULT_EVENT_RATE,
      eventCount: config.LIMITS_DEFAULT_EVENT_COUNT,
    },
  },
  desk: createTokenDesk({ follower, issuer, now: Date.now, metrics }),
  issuer,
  metrics,
  log,
  isOpen: () => boot.notReady().length === 0,
})

let isStopping = false
const host = config.AUTH_HOST
const listener = await listenNode({
  host,
  port: config.AUTH_PORT,
  server: createServer(app),
  ...(await readTls(config)),
})
const admin = await startAdmin({
  host,
  port: config.AUTH_ADMIN_PORT,
  registry: metricsRegistry,
  readiness: () => (isStopping ? ['shutting down'] : [...boot.notReady(), ...follower.notReady()]),
})
onShutdown(log, [
  { name: 'unready', run: async () => void (isStopping = true) },
  { name: 'listener', run: () => listener.close(5_000) },
  { name: 'stewardship', run: () => steward.close(), timeoutMs: 3_000 },
  { name: 'control state', run: () => follower.close() },
  { name: 'Kafka', run: () => kafkaAdmin.close() },
  { name: 'admin port', run: () => admin.close() },
])
log.info({ port: listener.port, adminPort: admin.port }, 'listening')
await boot.run()
steward.startUpkeep()
log.info('ready')

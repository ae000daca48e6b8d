// Starts auth: creates configuration, control state and its controller, the endpoints and the listener, and connects
// them.
import { siteFolder } from '@weir/docs'
import { createNodeServer, listenNode } from '@weir/http2'
import { createAcls, createAdmin, createKafka, kafkaAccess } from '@weir/kafka'
import { createRegistry, registryAccess } from '@weir/schema-registry'
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
  createGate,
  followState,
  isRestoring,
  kekOfKey,
  loadKek,
  openAccessTrace,
} from '@weir/control-state'
import { createCallers } from './access/callers.ts'
import { createOpaque } from './control/audit/opaque.ts'
import packageJson from '../package.json' with { type: 'json' }
import { configSchema } from './config.ts'
import type { Config } from './config.ts'
import { createSettingsReader } from './control/erasure/settings-reader.ts'
import { createErasureView } from './control/erasure/erasure-view.ts'
import { createAuthMetrics } from './metrics.ts'
import { openApi } from './api/openapi/document.ts'
import { pendingIn } from './control/pending.ts'
import { loadPlatformKey } from './access/platform-key.ts'
import { createReaders } from './registry/readers.ts'
import { watchRegistry } from './registry/watch-registry.ts'
import { createApp } from './api/routes.ts'
import { createController } from './compose/controller.ts'
import { createTokenService } from './tokens/token-service.ts'

const config = startConfig<Config>('auth', configSchema, process.env)
const issuer = config.AUTH_PUBLIC_URL
const pageOf = createPageOf(config)
const log = createLog('auth', config.LOG_LEVEL)
const metricsRegistry = createMetrics('auth')
const proxies = createProxies(config.TRUSTED_PROXIES)
const kek = await loadKek(config, kekOfKey(config))
if (config.KEK_SINGLE)
  log.warn(
    'KEK_SINGLE: one KEK may wrap all wrapping keys, so an attacker who controls one service has the keys of all services',
  )
const platformKey = await loadPlatformKey(config, log)
const kafka = createKafka({ ...kafkaAccess(config), clientId: 'weir-auth', log })
const kafkaAdmin = createAdmin(kafka)
const acls = createAcls(kafka)
const following = followState({ kafka, service: 'auth', kek, mayUnwrap: () => true, log })
const { follower } = following
const metrics = createAuthMetrics(metricsRegistry, pendingIn(follower, config))
const watch = watchRegistry({
  registry: createRegistry(config.SCHEMA_REGISTRY_URL, registryAccess(config)),
  contracts: () => follower.tables.contracts(),
  log,
  now: Date.now,
})
const parts = {
  config,
  kafka,
  admin: kafkaAdmin,
  acls,
  following,
  follower,
  kek,
  metrics,
  log,
  moreReconcilers: [watch.reconciler],
}
const { control, boot, tokenKeys, ...controller } = createController(parts)

const trace = openAccessTrace(kafka, log)
const callers = createCallers(follower, platformKey, { now: Date.now, onUse: trace.used })
const tokenService = createTokenService({ follower, issuer, now: Date.now, metrics, trace })
const app = createApp({
  management: {
    callers,
    refusals: controller.audit.refusals,
    state: follower,
    accounts: control,
    streams: control,
    contracts: { ...control, registry: watch.registry },
    erasures: control,
    keys: control,
    audit: {
      log: controller.audit.log,
      fold: controller.audit.fold,
      opaque: {
        entry: createOpaque(platformKey, 'entry'),
        page: createOpaque(platformKey, 'page'),
      },
    },
    usage: controller.usage.log,
    subjects: controller.usage.subjects,
    searches: control.searches,
    erasureView: createErasureView(createSettingsReader(kafkaAdmin)),
    issuer,
    defaultLimits: {
      eventRate: config.LIMITS_DEFAULT_EVENT_RATE,
      eventCount: config.LIMITS_DEFAULT_EVENT_COUNT,
    },
  },
  tokenService,
  registryDoor: {
    readers: createReaders({
      callers,
      authenticator: tokenService.authenticator,
      gate: createGate({ follower, issuer, now: Date.now }),
    }),
    contractsOf: (billingId) => follower.tables.contractsOf(billingId),
    refresh: () => follower.refresh(),
  },
  discovery: { follower, tokenKeys, issuer, now: Date.now },
  openApi: openApi(packageJson.version),
  siteFolder,
  metrics,
  guesses: createGuesses({ now: Date.now, proxies }),
  log,
  origins: config.CONSOLE_ORIGINS,
  kafkaPrefix: config.KAFKA_PREFIX,
  pageOf,
  isOpen: () =>
    boot.notReady().length === 0 && following.isWhole() && !isRestoring(follower.keyStore),
})

let isStopping = false
const host = config.AUTH_HOST
const listener = await listenNode({
  host,
  port: config.AUTH_PORT,
  connectionsMax: config.CONNECTIONS_MAX,
  isProxy: proxies.has,
  server: createNodeServer({ onRequest: app }),
  ...(await followTls(config, { log, registry: metricsRegistry })),
})
const admin = await startAdmin({
  host,
  port: config.AUTH_ADMIN_PORT,
  registry: metricsRegistry,
  readiness: () =>
    isStopping
      ? ['shutting down']
      : [...boot.notReady(), ...controller.promises.notReady(), ...following.notReady()],
  warnings: () => [...watch.warnings(), ...controller.warnings()],
})
onShutdown(log, [
  { name: 'unready', run: async () => void (isStopping = true) },
  { name: 'listener', run: () => listener.close(5_000) },
  { name: 'controller', run: () => controller.close(), timeoutMs: 3_000 },
  { name: 'notices', run: () => trace.close() },
  { name: 'control state', run: () => following.close() },
  { name: 'Kafka', run: () => kafkaAdmin.close().then(() => acls.close()) },
  { name: 'admin port', run: () => admin.close() },
])
log.info({ port: listener.port, adminPort: admin.port }, 'listening')
await boot.run()
controller.startLoops()
log.info('ready')

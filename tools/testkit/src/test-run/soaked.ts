// Tests that only `npm run soak` runs, and whoever names them: they are long, need programs that nothing else needs, or measure
// the machine as well as Weir. What they try of a promise of docs/guarantees.md, a test of `npm test` tries at a smaller scale.

/** Files, and folders that end with a slash: their integration tests. */
export const SOAKED: readonly string[] = [
  'clients/cli/test/weir.integration.test.ts',
  'clients/node/test/kills.integration.test.ts',
  'clients/node/test/listener.integration.test.ts',
  'clients/node/test/package.integration.test.ts',
  'clients/node/test/producer.integration.test.ts',
  'packages/contracts/test/pattern/steps-cost.test.ts',
  'packages/http2/test/conformance.integration.test.ts',
  'packages/http2/test/strangers.integration.test.ts',
  'packages/kafka/test/admin/positions-coordinators.integration.test.ts',
  'packages/kafka/test/admin/positions.integration.test.ts',
  'packages/kafka/test/broker-promises/',
  'packages/kafka/test/broker-restart.integration.test.ts',
  'packages/kafka/test/connect/session-renewal.integration.test.ts',
  'packages/kafka/test/fence/acquire-expired.integration.test.ts',
  'packages/kafka/test/fence/left-open.integration.test.ts',
  'packages/kafka/test/fence/transactor-leaderless.integration.test.ts',
  'packages/kafka/test/produce/append-lane.integration.test.ts',
  'packages/kafka/test/produce/leaderless.integration.test.ts',
  'packages/kafka/test/read/fetcher-faults.integration.test.ts',
  'packages/kafka/test/read/fetcher-leaders.integration.test.ts',
  'packages/kafka/test/read/fetcher-quota.integration.test.ts',
  'packages/kafka/test/read/follower.integration.test.ts',
  'packages/kafka/test/read/log-search.integration.test.ts',
  'services/auth/test/access/access.integration.test.ts',
  'services/auth/test/control/crash.integration.test.ts',
  'services/auth/test/control/keys/vault-keys.integration.test.ts',
  'services/auth/test/control/life-cycle.integration.test.ts',
  'services/auth/test/control/outage.integration.test.ts',
  'services/auth/test/control/replicas.integration.test.ts',
  'services/auth/test/registry/registry-away.integration.test.ts',
  'services/ingest/test/event/event.402-429-order.integration.test.ts',
  'services/ingest/test/event/event.404-405-413-415.integration.test.ts',
  'services/ingest/test/event/event.costly.integration.test.ts',
  'services/ingest/test/event/event.hostile.integration.test.ts',
  'services/ingest/test/events/events.503.integration.test.ts',
  'services/ingest/test/limits/limits.integration.test.ts',
  'services/output/test/derive/derived-leaders.integration.test.ts',
  'services/output/test/derive/lag/lag-in-kafka.integration.test.ts',
  'tools/devstack/test/stack.integration.test.ts',
  'tools/docs/test/error-pages/',
  'tools/docs/test/openapi/',
  'tools/docs/test/walk/walks.integration.test.ts',
  'tools/manifests/test/',
  'tools/testkit/test/erasure/erase-and-rotate.integration.test.ts',
  'tools/testkit/test/failure/backup.integration.test.ts',
  'tools/testkit/test/failure/kill-everything.integration.test.ts',
  'tools/testkit/test/failure/newer-record.integration.test.ts',
  'tools/testkit/test/keys/rotation.integration.test.ts',
  'tools/testkit/test/keys/vault.integration.test.ts',
  'tools/testkit/test/security/level-rings.integration.test.ts',
  'tools/testkit/test/services/traces.integration.test.ts',
  'tools/torture/test/torture.integration.test.ts',
]

/** The path is the repository's. */
export const isSoaked = (file: string): boolean =>
  SOAKED.includes(file) ||
  (file.endsWith('.integration.test.ts') &&
    SOAKED.some((path) => path.endsWith('/') && file.startsWith(path)))

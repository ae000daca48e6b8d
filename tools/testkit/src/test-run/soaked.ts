// Tests that only `npm run soak` runs, and whoever names them: they are long, need programs that nothing else needs, or measure
// the machine as well as Weir. What they try of a promise of docs/guarantees.md, a test of `npm test` tries at a smaller scale.

/** Files, and folders that end with a slash. */
export const SOAKED: readonly string[] = [
  'clients/cli/test/weir.integration.test.ts',
  'clients/node/test/kills.integration.test.ts',
  'packages/contracts/test/pattern/steps-cost.test.ts',
  'packages/kafka/test/admin/positions-coordinators.integration.test.ts',
  'packages/kafka/test/broker-promises/',
  'packages/kafka/test/broker-restart.integration.test.ts',
  'packages/kafka/test/fence/acquire-expired.integration.test.ts',
  'packages/kafka/test/fence/transactor-leaderless.integration.test.ts',
  'packages/kafka/test/read/fetcher-faults.integration.test.ts',
  'packages/kafka/test/read/fetcher-leaders.integration.test.ts',
  'services/auth/test/control/crash.integration.test.ts',
  'services/auth/test/control/keys/vault-keys.integration.test.ts',
  'services/auth/test/control/outage.integration.test.ts',
  'services/ingest/test/limits/limits.integration.test.ts',
  'services/output/test/derive/derived-leaders.integration.test.ts',
  'tools/docs/test/openapi/openapi.integration.test.ts',
  'tools/manifests/test/compose-demo.integration.test.ts',
  'tools/manifests/test/strimzi/kafka-starts.integration.test.ts',
  'tools/testkit/test/erasure/erase-and-rotate.integration.test.ts',
  'tools/testkit/test/failure/backup.integration.test.ts',
  'tools/testkit/test/keys/rotation.integration.test.ts',
  'tools/testkit/test/keys/vault.integration.test.ts',
  'tools/torture/test/torture.integration.test.ts',
]

/** The path is the repository's. */
export const isSoaked = (file: string): boolean =>
  SOAKED.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)))

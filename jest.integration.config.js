// Tests against a real broker and registry. tools/testkit/src/test-all.ts starts both and says where
// they are in KAFKA_BROKERS and SCHEMA_REGISTRY_URL.
import unit from './jest.config.js'

export default {
  ...unit,
  testMatch: ['<rootDir>/{packages,services,clients,tools}/*/test/**/*.integration.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
  // They wait for Kafka more than they compute.
  maxWorkers: 3,
}

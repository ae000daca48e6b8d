// Tests against a real broker and registry. tools/testkit/src/test-run/integration.ts starts both and gives their
// addresses in KAFKA_BROKERS and SCHEMA_REGISTRY_URL.
import { common, measuring } from './jest.config.js'

export default {
  ...common,
  testMatch: ['<rootDir>/{packages,services,clients,tools}/*/test/**/*.integration.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...measuring],
  // Four workers keep two cores busy. With more, tests would take as long overall, and miss deadlines.
  maxWorkers: 4,
}

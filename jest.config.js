// The tests without a broker. Node runs TypeScript directly, so jest needs no transformer. `*.integration.test.ts` need
// a real broker and registry: jest.integration.config.js. tools/testkit/src/test-all.ts runs all tests.

/** Tests that measure run at the end, alone (jest.measuring.config.js); `npm test` runs only growth. */
const measuringInSoak = [
  '/validations-cost',
  '/steps-cost',
  '/event\\.costly',
  '/tokens\\.bounds',
  '/hostile-tenants',
  '/erase-in-pieces',
]
export const measuring = [
  '/complexity',
  ...(process.env['WEIR_TEST_SCALE'] === 'full' ? measuringInSoak : []),
]

export const common = {
  testEnvironment: 'node',
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testSequencer: '<rootDir>/jest.sequencer.config.js',
  modulePathIgnorePatterns: ['<rootDir>/.weir/'],
  coverageProvider: 'v8',
  // Ends hanging tests, even on a busy machine. Tests that wait have deadlines of their own.
  testTimeout: 120_000,
}

export default {
  ...common,
  testMatch: ['<rootDir>/{packages,services,clients,tools}/*/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.test\\.ts$', ...measuring],
  // More workers than cores, because the longest tests start first, and mostly wait.
  maxWorkers: 5,
}

// Node runs TypeScript as it is, so jest needs no transformer. `*.integration.test.ts` want the real
// broker and registry: jest.integration.config.js. tools/testkit/src/test-all.ts runs all of them.

/** What measures runs at the end, with nothing beside it (jest.measuring.config.js): in `npm test` growth alone. */
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
  // What waits for something has a deadline of its own; this ends what hangs, on a busy machine, too.
  testTimeout: 120_000,
}

export default {
  ...common,
  testMatch: ['<rootDir>/{packages,services,clients,tools}/*/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.test\\.ts$', ...measuring],
  // The first of them, which take longest, wait more than they compute.
  maxWorkers: 5,
}

// Node runs TypeScript as it is, so jest needs no transformer. `*.integration.test.ts` want the real
// broker and registry: tools/testkit/src/test-all.ts runs them with `--integration`.
export default {
  testEnvironment: 'node',
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testSequencer: '<rootDir>/jest.sequencer.config.js',
  testMatch: ['<rootDir>/{packages,services,clients,tools}/*/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.test\\.ts$'],
  modulePathIgnorePatterns: ['<rootDir>/.weir/'],
  coverageProvider: 'v8',
  // What waits for something has a deadline of its own; this ends what hangs, on a busy machine, too.
  testTimeout: 60_000,
  // Jest leaves one core to itself by default, and of two that is half.
  maxWorkers: '100%',
}

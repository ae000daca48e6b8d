// Tests that measure processor time, one file after the other, because concurrent tests would compete for the caches.
import { common, measuring } from './jest.config.js'

export default {
  ...common,
  testRegex: measuring.map((name) => `/test/.*${name.slice(1)}.*\\.test\\.ts$`),
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
}

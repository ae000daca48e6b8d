// Orders the tests: the slowest of the last run start first, so that no worker ends alone. A new clone uses a committed
// list of the slowest. Unknown tests come last, by size.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = import.meta.dirname
const seconds = {
  ...secondsIn('tools/testkit/src/test-run/slowest.json'),
  ...secondsIn('.weir/test-seconds.json'),
}

function secondsIn(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'))
  } catch {
    return {}
  }
}

const secondsOf = ({ path }) => seconds[relative(folder, path)] ?? 0
const sizeOf = (test) => test.context.hasteFS.getSize(test.path) ?? 0

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || sizeOf(b) - sizeOf(a))
  }

  allFailedTests() {
    return []
  }

  cacheResults() {}
}

// The order of the integration tests: those that take longest begin, so that no worker ends alone. The rest
// goes by size, as jest does it on a machine that has not run them yet.
const longest = [
  'torture',
  'recreated-stream',
  'kill-everything',
  'kills',
  'limits',
  'broker-outage',
  'events.large',
  'event.503',
  'events.503',
  'stack',
  'console',
  'strangers',
  'output-restarts',
  'outage',
  'analysts',
  'analysts-walk',
  'full-outage',
  'broker-restart',
  'fold',
]

const rank = ({ path }) => {
  const place = longest.findIndex((name) => path.endsWith(`/${name}.integration.test.ts`))
  return place < 0 ? longest.length : place
}

export default class LongestFirst {
  #sizeOf(test) {
    return test.context.hasteFS.getSize(test.path) ?? 0
  }

  sort(tests) {
    return [...tests].sort((a, b) => rank(a) - rank(b) || this.#sizeOf(b) - this.#sizeOf(a))
  }

  allFailedTests() {
    return []
  }

  cacheResults() {}
}

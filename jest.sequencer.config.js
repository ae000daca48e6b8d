// The order of the tests: those that take longest begin, so that no worker ends alone. The rest goes by size, as jest does
// it on a machine that has not run them yet. What measures processor time comes last, when nobody else takes the caches.
const measuring = ['complexity/parsers']
const longest = [
  'fuzz',
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
  const isOf = (name) =>
    path.endsWith(`/${name}.integration.test.ts`) || path.endsWith(`/${name}.test.ts`)
  if (measuring.some(isOf)) return Infinity
  const place = longest.findIndex(isOf)
  return place < 0 ? longest.length : place
}

export default class LongestFirst {
  #sizeOf(test) {
    return test.context.hasteFS.getSize(test.path) ?? 0
  }

  sort(tests) {
    const order = (a, b) => Math.sign(rank(a) - rank(b)) || this.#sizeOf(b) - this.#sizeOf(a)
    return [...tests].sort(order)
  }

  allFailedTests() {
    return []
  }

  cacheResults() {}
}

// Which blocks of our own sources have run, counted by V8 without instrumentation. How often a block ran counts, too,
// in powers of two.
import { Session, type Profiler } from 'node:inspector'

export type Coverage = {
  /** Whether a block ran for the first time, or more often than ever, since the last `takeNew`. */
  hasNew(): boolean
  /** The number of such blocks. After this call they are known. */
  takeNew(): number
}

export function startCoverage(): Coverage {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const seen = new Set<string>()
  const keys = (): readonly string[] =>
    taken(session).flatMap((script) => (isOurs(script.url) ? [...keysOf(script)] : []))
  return {
    hasNew: () => keys().some((key) => !seen.has(key)),
    takeNew() {
      const before = seen.size
      for (const key of keys()) seen.add(key)
      return seen.size - before
    },
  }
}

/** Works synchronously, because a session with its own thread responds before `post` returns. */
function taken(session: Session): readonly Profiler.ScriptCoverage[] {
  let result: readonly Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error
    result = answer.result
  })
  return result
}

const isOurs = (url: string): boolean =>
  url.startsWith('file:') && url.includes('/src/') && !/\/(node_modules|testkit)\//.test(url)

function* keysOf({ scriptId, functions }: Profiler.ScriptCoverage): Generator<string> {
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges)
      if (count > 0)
        yield `${scriptId}:${startOffset}:${endOffset}:${Math.min(32 - Math.clz32(count), 12)}`
}

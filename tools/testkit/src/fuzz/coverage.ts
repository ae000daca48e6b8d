// Reports which blocks of our own sources have run, as V8 counts them without instrumentation. A block is new again if
// the number of its runs reaches a higher power of two.
import { Session, type Profiler } from 'node:inspector'

export type Coverage = {
  /** Returns whether a new block has run since the last `takeNew`. */
  hasNew(): boolean
  /** Returns the number of new blocks. After this call they are known. */
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

/** Returns synchronously, because a session with its own thread responds before `post` returns. */
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

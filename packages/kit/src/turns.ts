// Limits concurrency. Further work waits, and runs in the order of the calls.
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let free = atOnce

  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

// Limits how many calls run at the same time. Further calls wait, and run in their order.
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

// Requests one after another. The account may send a limited number of them in a minute, and make one download at a
// time.
import { Refused } from './calls.ts'

const pauseMs = 10_000
const pausesMax = 30

/** Waits and tries again while there are too many requests. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let pauses = 0; ; pauses += 1)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 429 || pauses === pausesMax) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
}

// Retries requests that exceed the account's limits: requests per minute, and one download at a time.
import { Refused } from './calls.ts'

const pauseMs = 10_000
const pausesMax = 30

/** Waits and retries while the status is 429, up to `pausesMax` times. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let pauses = 0; ; pauses += 1)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 429 || pauses === pausesMax) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
}

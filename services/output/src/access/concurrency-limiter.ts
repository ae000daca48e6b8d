// Limits requests that need much memory or time: one at a time per account, and a maximum in total. So these requests
// leave memory and time for derivation. If too many requests are waiting, further requests are refused.
import { refusal } from '../errors.ts'

/** Runs the work when there is room for it. Throws Refusal `busy` if too many requests are already waiting. */
export type ConcurrencyLimiter = <Result>(
  billingId: string,
  work: () => Promise<Result>,
) => Promise<Result>

export type ConcurrencyLimits = {
  readonly atOnceMax: number
  readonly waitingMax: number
  readonly waitingOfOneMax: number
}

type Waiting = { readonly billingId: string; start(): void }

export function createConcurrencyLimiter({
  atOnceMax,
  waitingMax,
  waitingOfOneMax,
}: ConcurrencyLimits): ConcurrencyLimiter {
  const running = new Set<string>()
  const waiting = new Set<Waiting>()

  function startNext(): void {
    for (const one of waiting) {
      if (running.size >= atOnceMax) return
      if (running.has(one.billingId)) continue
      waiting.delete(one)
      running.add(one.billingId)
      one.start()
    }
  }

  function queue(billingId: string): Promise<void> {
    const own = [...waiting].filter((one) => one.billingId === billingId)
    if (waiting.size >= waitingMax || own.length >= waitingOfOneMax)
      throw refusal('busy', 'Too many requests are in progress; try again in a moment')
    return new Promise((resolve) => {
      waiting.add({ billingId, start: resolve })
      startNext()
    })
  }

  return async (billingId, work) => {
    await queue(billingId)
    try {
      return await work()
    } finally {
      running.delete(billingId)
      startNext()
    }
  }
}

// Rate and lag of inputs' derived streams, polled while the page is visible. Streams are polled one after another,
// because output handles one such request of an account at a time.
import { useEffect, useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input } from '../api/account.ts'
import { lagOf } from '../api/resources.ts'
import type { Lag } from '../api/resources.ts'
import { ratesOf, withSeen } from './rates.ts'
import type { Rates, Seen } from './rates.ts'

export type Flow = { readonly lag: Lag; readonly rates: Rates | undefined }

const everyMs = 1_000

/** Returns rate and lag by the derived stream's name. If a request fails, the last value stays. */
export function useFlows(calls: Calls, inputs: readonly Input[]): ReadonlyMap<string, Flow> {
  const [flows, setFlows] = useState<ReadonlyMap<string, Flow>>(new Map())
  useEffect(() => {
    const leaving = new AbortController()
    void follow(calls, inputs, leaving.signal, (name, flow) =>
      setFlows((before) => new Map(before).set(name, flow)),
    )
    return () => leaving.abort()
  }, [calls, inputs])
  return flows
}

async function follow(
  calls: Calls,
  inputs: readonly Input[],
  leaving: AbortSignal,
  tell: (name: string, flow: Flow) => void,
): Promise<void> {
  const seen = new Map<string, readonly Seen[]>()
  while (!leaving.aborted) {
    for (const output of document.hidden ? [] : inputs.flatMap(({ outputs }) => outputs)) {
      const lag = await lagOf(calls, output).catch(() => undefined)
      if (leaving.aborted) return
      if (lag === undefined) continue
      const now = { atMs: performance.now(), end: lag.end, next: lag.next }
      const so = withSeen(seen.get(output.name) ?? [], now)
      seen.set(output.name, so)
      tell(output.name, { lag, rates: ratesOf(so) })
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

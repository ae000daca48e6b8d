// Measures how a service's cost for a request grows. The service gets its worst request at 1, 2, 4 and 8 times a size,
// each over a new connection. The CPU time of the service's process counts.
import type { ServiceName } from '@weir/devstack'
import { describeGrowth, growthOf, isLinear } from './growth.ts'
import { exchange, exchangeStatusOf } from './exchange.ts'
import { busyMicrosOf } from './process-cpu.ts'

export type RouteCase<Scene> = {
  readonly name: string
  readonly at: ServiceName
  /** The smallest request's size. The largest, 8 times this size, is as large as the service accepts, or larger. */
  readonly size: number
  /** Returns the bytes to send. */
  readonly send: (size: number, scene: Scene) => Buffer
  /** The expected status of the response; 0 if the response isn't HTTP/1.1. */
  readonly status: number | readonly number[]
}

const leastMicros = 30_000

/** Returns `linear`, or the cost of one request at each size. */
export async function routeGrowth<Scene>(
  { send, size, status }: RouteCase<Scene>,
  scene: Scene,
  { url, pid }: { readonly url: string; readonly pid: number },
): Promise<string> {
  const busyMicros = await busyMicrosOf(pid)
  const growth = await growthOf({
    at: async (times) => {
      const bytes = send(times * size, scene)
      return async () => {
        const answered = exchangeStatusOf(await exchange(url, bytes))
        if (![status].flat().includes(answered))
          throw new Error(`${times}x is answered ${answered}`)
      }
    },
    cpuMicros: () => Promise.resolve(busyMicros()),
    leastMicros,
  })
  return isLinear(growth) ? 'linear' : describeGrowth(growth)
}

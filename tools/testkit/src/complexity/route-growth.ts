// The growth of a service's cost for a request. The service gets the worst request at 1, 2, 4 and 8 times a size, each
// over a connection of its own, and its process is measured.
import type { ServiceName } from '@weir/devstack'
import { describeGrowth, growthOf, isLinear } from './growth.ts'
import { exchange, exchangeStatusOf } from './exchange.ts'
import { busyMicrosOf } from './process-cpu.ts'

export type RouteCase<Scene> = {
  /** The name of the case, a sentence. */
  readonly name: string
  readonly at: ServiceName
  /** The request's size at 1 time. At 8 times, the request is as large as the service accepts, or larger. */
  readonly size: number
  /** The octets that are sent. */
  readonly send: (size: number, scene: Scene) => Buffer
  /** The status of the response; 0 if it isn't HTTP/1.1. */
  readonly status: number | readonly number[]
}

const leastMicros = 30_000

/** `linear`, or the cost of one request at each size. */
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

// Measures how a parser's cost grows, within this process. The parser gets its worst input at 1, 2, 4 and 8 times a
// size. An input that is refused for its size before parsing proves nothing. So each case states the expected result.
import { hasCode } from '@weir/kit'
import { describeGrowth, growthOf, isLinear } from './growth.ts'

export type ParserCase = {
  readonly name: string
  /** The smallest input's size. The largest, 8 times this size, is about as large as the parser accepts. */
  readonly size: number
  /** Creates the input, and returns the measured function, which parses it once. */
  readonly at: (size: number) => () => unknown
  /** The expected result: `taken`, or a prefix of the thrown error's code or name. */
  readonly ends: string
}

const leastMicros = 8_000

/**
 * Returns the CPU time of the calling thread, without compiler and collector threads. Linux updates a running thread's
 * time only at clock ticks, up to 4 ms apart, unless the whole process is queried first.
 */
function cpuMicros(): Promise<number> {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return Promise.resolve(user + system)
}

/** Returns `linear`, or the cost of one run at each size after at most `rounds` attempts. */
export async function parserGrowth(
  { size, at, ends }: ParserCase,
  rounds?: number,
): Promise<string> {
  const growth = await growthOf({
    at: async (times) => {
      const run = at(times * size)
      const end = await endOf(run)
      if (!end.startsWith(ends)) throw new Error(`${times}x does not end in ${ends} but in ${end}`)
      return async () => void (await endOf(run))
    },
    cpuMicros,
    leastMicros,
    ...(rounds === undefined ? {} : { rounds }),
  })
  return isLinear(growth) ? 'linear' : describeGrowth(growth)
}

async function endOf(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'taken'
  } catch (error) {
    if (hasCode(error)) return error.code
    return error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error)
  }
}

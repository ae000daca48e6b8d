// The growth of a parser's cost, within this process. The parser gets its worst input at 1, 2, 4 and 8 times a size. An
// input that is refused for its size before parsing would prove nothing, so each case says how its inputs end.
import { hasCode } from '@weir/kit'
import { describeGrowth, growthOf, isLinear } from './growth.ts'

export type ParserCase = {
  /** The name of the case, a sentence. */
  readonly name: string
  /** The input's size at 1 time. At 8 times, the input is about as large as the parser accepts. */
  readonly size: number
  /** Creates the input, and returns the measured function, which parses it once. */
  readonly at: (size: number) => () => unknown
  /** `taken` if the input is accepted, or a prefix of the thrown error's code or name. */
  readonly ends: string
}

const leastMicros = 8_000

/**
 * The CPU time of the calling thread, without compiler and collector threads. Linux updates a running thread's count at
 * clock ticks, up to 4 ms apart, and when the whole process is queried.
 */
function cpuMicros(): Promise<number> {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return Promise.resolve(user + system)
}

/** `linear`, or the cost of one run at each size after the given number of attempts. */
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

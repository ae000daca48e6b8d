// The growth of a parser's cost: it gets its worst input at 1, 2, 4 and 8 times a size, within this process. An input
// refused for its size before it is parsed would prove nothing, so each case says how its inputs end.
import { hasCode } from '@weir/kit'
import { describeGrowth, growthOf, isLinear } from './growth.ts'

export type ParserCase = {
  /** A sentence. */
  readonly name: string
  /** The input's size at 1 time; at 8 times it is about as large as the parser accepts. */
  readonly size: number
  /** Creates the input of a size, and returns the measured function: one parsing of it. */
  readonly at: (size: number) => () => unknown
  /** `taken`, or a prefix of the thrown error's code or name. */
  readonly ends: string
}

const leastMicros = 8_000

/**
 * The CPU time of the calling thread, without those of compilers and collectors. Linux updates a running thread's count
 * at clock ticks, up to 4 ms apart, and also when the whole process is queried.
 */
function cpuMicros(): Promise<number> {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return Promise.resolve(user + system)
}

/** `linear`, or the cost of one run at each size, after so many attempts. */
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

// The growth of a parser's work: it gets its worst input at 1, 2, 4 and 8 times a size, within this process. An input that
// is refused for its size before it is read would prove nothing, so each case says how its inputs end.
import { hasCode } from '@weir/kit'
import { describeGrowth, growthOf, isLinear } from './growth.ts'

export type ParserCase = {
  /** A sentence. */
  readonly name: string
  /** The input's at 1 time; at 8 times it is about as large as the parser takes. */
  readonly size: number
  /** Makes the input of a size, and answers what is measured: one parsing of it. */
  readonly at: (size: number) => () => unknown
  /** `taken`, or what the code or the name of what is thrown begins with. */
  readonly ends: string
}

const leastMicros = 8_000

/**
 * Of the thread that asks: compilers and collectors have threads of their own. Linux counts a running thread at the ticks of
 * its clock, up to 4 ms apart, and brings the count up to date when the whole process is asked for.
 */
function cpuMicros(): Promise<number> {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return Promise.resolve(user + system)
}

/** `linear`, or what one run took at each size, after so many rounds. */
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

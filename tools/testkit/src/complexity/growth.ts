// Measures how the cost of an operation grows with its input: its CPU time at 1, 2, 4 and 8 times a size. Unlike
// elapsed time, CPU time depends little on other load of the machine. The lowest of several attempts counts, because
// garbage collection and compilation only add time. From 1 to 8 times the size, linear cost grows by a factor of 8,
// quadratic cost by 64.

const timesMeasured = [1, 2, 4, 8] as const
/** The permitted factor at 8 times the size. Cost that grows with the power 1.5 (a factor of 22.6) exceeds it. */
const growthMax = 20
/** At the smallest size, a lower CPU time counts as this value, because such data fits into the CPU's caches. */
const noiseMicros = 250
/**
 * The lowest time of this many attempts counts. A coarse CPU clock may make it too low, so the next attempts start
 * again and measure for longer.
 */
const roundsTogether = 4

/** The CPU time of one run at each size, in microseconds. */
export type Growth = readonly { readonly times: number; readonly micros: number }[]

export type GrowthOptions = {
  /** Prepares the run at `times` times the size. The preparation isn't measured. */
  at: (times: number) => Promise<() => Promise<void>>
  /** The CPU time of the process or thread under test, in microseconds. */
  cpuMicros: () => Promise<number>
  /** A measurement repeats its run until this CPU time is used. After every 4 attempts, this value is doubled. */
  leastMicros: number
  /** If a run exceeds this CPU time, the measurement ends, because larger sizes would take longer. */
  mostMicros?: number
  rounds?: number
}

/** Measures until the growth is acceptable, or no attempt is left. */
export async function growthOf(options: GrowthOptions): Promise<Growth> {
  const { at, rounds = 24, mostMicros = 5_000_000 } = options
  const least = new Map<number, number>()
  const runs = new Map<number, () => Promise<void>>()
  let { leastMicros } = options
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0 && round % roundsTogether === 0) {
      leastMicros *= 2
      least.clear()
    }
    for (const times of timesMeasured) {
      const run = runs.get(times) ?? (await at(times))
      runs.set(times, run)
      const micros = await microsOf(run, { ...options, leastMicros })
      least.set(times, Math.min(micros, least.get(times) ?? Infinity))
      if (micros > mostMicros) return growthIn(least)
    }
    // the first attempt warms the compiler up
    if (round > 0 && isLinear(growthIn(least))) break
  }
  return growthIn(least)
}

async function microsOf(
  run: () => Promise<void>,
  { cpuMicros, leastMicros }: GrowthOptions,
): Promise<number> {
  const start = await cpuMicros()
  for (let runs = 1; ; runs += 1) {
    await run()
    const micros = (await cpuMicros()) - start
    if (micros >= leastMicros) return micros / runs
  }
}

const growthIn = (least: ReadonlyMap<number, number>): Growth =>
  [...least].map(([times, micros]) => ({ times, micros }))

/** Also returns false if the largest size was skipped. */
export function isLinear(growth: Growth): boolean {
  const first = growth.find(({ times }) => times === 1)
  const last = growth.find(({ times }) => times === timesMeasured.at(-1))
  return (
    first !== undefined &&
    last !== undefined &&
    last.micros <= growthMax * Math.max(first.micros, noiseMicros)
  )
}

/** Describes the growth for a failing test: the cost of one run, and its ratio to the first measured size. */
export const describeGrowth = (growth: Growth): string =>
  growth
    .map(({ times, micros }) => {
      const ratio = micros / (growth[0]?.micros ?? micros)
      return `${times}x: ${(micros / 1_000).toFixed(2)} ms (${ratio.toFixed(1)})`
    })
    .join(', ')

// Measures how the cost of an operation grows with its input: its CPU time at 1, 2, 4 and 8 times a size. Unlike
// elapsed time, CPU time depends little on other load of the machine. The lowest of several attempts counts, because
// garbage collection and compilation only add time. At 8 times the size, linear cost gives 8 and quadratic cost 64.

const timesMeasured = [1, 2, 4, 8] as const
/** The permitted growth at 8 times the size: room for caches that become too small, but not for a power of 1.5. */
const growthMax = 20
/** A lower CPU time at the smallest size counts as this: it is so low only because the data fits into the CPU's caches. */
const noiseMicros = 250
/**
 * The lowest of this many attempts counts. If the CPU clock is coarse, that may be too low, and everything is measured
 * again for longer.
 */
const roundsTogether = 4

/** The CPU microseconds of one run at each size. */
export type Growth = readonly { readonly times: number; readonly micros: number }[]

export type GrowthOptions = {
  /** Prepares the run at `times` times the size. The preparation isn't measured. */
  at: (times: number) => Promise<() => Promise<void>>
  /** The CPU time of the process or thread under test, in microseconds. */
  cpuMicros: () => Promise<number>
  /** A measurement repeats its run until it has taken this long. Each time the growth is too high, this is doubled. */
  leastMicros: number
  /** If a run exceeds this, larger sizes are skipped, because they would take longer. */
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

/** False if the largest size was skipped. */
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

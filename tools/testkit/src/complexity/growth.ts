// How the cost of an operation grows with its input: its CPU time at 1, 2, 4 and 8 times a size. CPU time depends
// little on the load of the machine, unlike elapsed time; of several attempts the lowest counts, because garbage
// collection and compilation only add. Linear cost gives 8 at 8 times the size, quadratic cost 64.

const timesMeasured = [1, 2, 4, 8] as const
/** The allowed growth at 8 times the size: room for caches that become too small, none for the power of 1.5. */
const growthMax = 20
/** Less than this at 1 time counts as this much: such small work is fast only while caches hold everything. */
const noiseMicros = 250
/**
 * The lowest of this many attempts counts. Where the clock of CPU time is coarse that may be too small, and then all is
 * measured again, for longer.
 */
const roundsTogether = 4

/** The CPU microseconds of one run at each of the sizes. */
export type Growth = readonly { readonly times: number; readonly micros: number }[]

export type GrowthOptions = {
  /** Prepares the run at so many times the size; the preparation isn't measured. */
  at: (times: number) => Promise<() => Promise<void>>
  /** The CPU time of the process or thread under test, in microseconds. */
  cpuMicros: () => Promise<number>
  /** A measurement repeats its run until it has taken this long; twice as long each time the growth is too high. */
  leastMicros: number
  /** When a run exceeds this, larger sizes are skipped, because they won't do better. */
  mostMicros?: number
  rounds?: number
}

/** Measures until the growth is acceptable, or the attempts are used up. */
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

/** Also false when the largest size was skipped. */
export function isLinear(growth: Growth): boolean {
  const first = growth.find(({ times }) => times === 1)
  const last = growth.find(({ times }) => times === timesMeasured.at(-1))
  return (
    first !== undefined &&
    last !== undefined &&
    last.micros <= growthMax * Math.max(first.micros, noiseMicros)
  )
}

/** For a failing test: the cost of one run, and its ratio to the first measured size. */
export const describeGrowth = (growth: Growth): string =>
  growth
    .map(({ times, micros }) => {
      const ratio = micros / (growth[0]?.micros ?? micros)
      return `${times}x: ${(micros / 1_000).toFixed(2)} ms (${ratio.toFixed(1)})`
    })
    .join(', ')

// How the work of something grows with its input: the CPU time at 1, 2, 4 and 8 times a size. What is measured is CPU
// time, never time on the clock, so a busy machine changes little; of several rounds the least counts, since garbage
// collection and compilation only ever add. Linear work comes to 8 at 8 times the size, quadratic work to 64.

const timesMeasured = [1, 2, 4, 8] as const
/** What is allowed at 8 times the size: room for caches that grow too small on the way, none for the power of 1.5. */
const growthMax = 20
/** What takes less at 1 time is reckoned as this much: so little is fast while caches hold all of it. */
const noiseMicros = 250
/** Of so many rounds the least counts. Where the clock of CPU time is coarse it may be too little, so then all is measured
 * anew, and for longer. */
const roundsTogether = 4

/** The microseconds of CPU that one run takes at each of the sizes. */
export type Growth = readonly { readonly times: number; readonly micros: number }[]

export type GrowthOptions = {
  /** Gets what is run at so many times the size ready; what that costs isn't measured. */
  at: (times: number) => Promise<() => Promise<void>>
  /** Of the process or thread under test, in microseconds. */
  cpuMicros: () => Promise<number>
  /** A measurement repeats its run until it has taken so much; twice as much whenever the growth is not fine. */
  leastMicros: number
  /** What this much is passed is run no larger, as it won't get better. */
  mostMicros?: number
  rounds?: number
}

/** Measures until the growth is fine, or the rounds are over. */
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
    // the first round warms the compiler up
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

/** False, too, when it took so long that the largest size was not tried. */
export function isLinear(growth: Growth): boolean {
  const first = growth.find(({ times }) => times === 1)
  const last = growth.find(({ times }) => times === timesMeasured.at(-1))
  return (
    first !== undefined &&
    last !== undefined &&
    last.micros <= growthMax * Math.max(first.micros, noiseMicros)
  )
}

/** For a failing test: what one run took, and how often as much as at the first size that was. */
export const describeGrowth = (growth: Growth): string =>
  growth
    .map(({ times, micros }) => {
      const ratio = micros / (growth[0]?.micros ?? micros)
      return `${times}x: ${(micros / 1_000).toFixed(2)} ms (${ratio.toFixed(1)})`
    })
    .join(', ')

// Coverage-guided fuzzing: inputs that run new blocks are kept and mutated further. A finding is an exception without
// an error code, or an input that takes too long. watch.ts finds inputs that never end.
import { hasCode } from '@weir/kit'
import type { Coverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import { createFuzzRandom } from './random.ts'
import type { FuzzTarget } from './target.ts'

export type FuzzFinding = { readonly octets: Buffer; readonly what: string }

export type FuzzOptions = {
  readonly target: FuzzTarget
  readonly coverage: Coverage
  readonly corpus: readonly Buffer[]
  readonly seed: number
  /** Called with each input before it runs. */
  readonly watch: (octets: Buffer) => void
  readonly mayGoOn: (runs: number) => boolean
}

export type FuzzResult = {
  readonly runs: number
  /** The seeds and other inputs that ran new blocks. */
  readonly kept: readonly Buffer[]
  readonly finding: FuzzFinding | undefined
}

/** The maximum CPU time for one input of 4 KiB. */
const microsMax = 500_000
/** V8 is queried once per this many inputs. If these inputs ran new blocks, each of them runs again. */
const batch = 40
const newest = 20

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { target, coverage, corpus, mayGoOn } = options
  const random = createFuzzRandom(options.seed)
  const kept: Buffer[] = []
  let runs = 0

  const tryEach = async (inputs: readonly Buffer[]): Promise<FuzzFinding | undefined> => {
    for (const octets of inputs) {
      runs += 1
      const what = await findIn(octets, options)
      if (what !== undefined) return { octets, what }
    }
    return undefined
  }
  /** Runs the inputs one by one, and keeps those that run new blocks. V8 reports the blocks since the last query. */
  const keepNew = async (inputs: readonly Buffer[]): Promise<FuzzFinding | undefined> => {
    for (const octets of inputs) {
      const finding = await tryEach([octets])
      if (finding !== undefined) return finding
      if (coverage.takeNew() > 0) kept.push(octets)
    }
    return undefined
  }

  let finding = await keepNew([Buffer.alloc(0), ...corpus])
  while (finding === undefined && mayGoOn(runs)) {
    const inputs = Array.from({ length: batch }, () => {
      // mostly the newest, because few inputs were derived from them yet
      const octets = random.one(random.below(2) === 0 ? kept.slice(-newest) : kept)
      return mutate(octets ?? Buffer.alloc(0), { random, words: target.words, others: kept })
    })
    finding = await tryEach(inputs)
    if (finding === undefined && coverage.hasNew()) finding = await keepNew(inputs)
  }
  return { runs, kept, finding }
}

async function findIn(octets: Buffer, { target, watch }: FuzzOptions): Promise<string | undefined> {
  watch(octets)
  const start = process.threadCpuUsage()
  try {
    await target.run(octets)
  } catch (error) {
    if (!hasCode(error))
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const { user, system } = process.threadCpuUsage(start)
  return user + system > microsMax ? `took ${Math.round((user + system) / 1_000)} ms` : undefined
}

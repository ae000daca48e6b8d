// Keys of an era, created from a seed, so that failures are reproducible.
import { createHash } from 'node:crypto'
import { eraKeys, makeEraParts, termKeys, termOf } from '../../src/index.ts'
import type { EraKeys, RandomBytes } from '../../src/index.ts'

/** Returns bytes that look random, but are always the same for a seed. */
export function seededBytes(seed: string): RandomBytes {
  let made = 0
  return (size) =>
    createHash('shake256', { outputLength: size }).update(`${seed} ${made++}`).digest()
}

export function madeKeys(
  streamId: string,
  era: number,
  levels: readonly number[] = [0, 1, 2, 3],
): EraKeys {
  const parts = makeEraParts(levels, seededBytes(`${streamId} ${era}`))
  const trees = [['', parts.get('tree') ?? Buffer.alloc(0)]] as const
  const term = termKeys({ streamId, term: termOf(era), link: parts.get('link'), trees })
  return eraKeys(term, {
    era,
    label: parts.get('label'),
    level: (level) => parts.get(`level.${level}`),
  })
}

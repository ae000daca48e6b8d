// Retries reads of keys, because keys that are being wrapped again can't be read for a moment.
import type { StateFollower } from '@weir/control-state'
import { DeriveError } from './errors.ts'

const triesMax = 3

/** @throws what `read` throws; DeriveError `derive.not_known_yet` if the keys are still missing */
export async function knownSoon<Result>(
  { refresh }: Pick<StateFollower, 'refresh'>,
  read: () => Result,
): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return read()
    } catch (error) {
      const isWorthIt = error instanceof DeriveError && error.code === 'derive.not_known_yet'
      if (tries === triesMax || !isWorthIt) throw error
      await refresh()
    }
}

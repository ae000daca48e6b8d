// Rings as auth keeps them: made when first needed, wrapped by the KEK, and handed out to wrap parts
// with. What is wrapped by which ring is in docs/keys.md.
import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { levelPart, wrapRing } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { AppError, hasCode } from '@weir/kit'
import { levelsOf } from './era-parts.ts'
import type { StateFollower } from './follow.ts'
import { ringKey } from './keyring.ts'
import type { Decide, Writer } from './writer.ts'

export type Ring = { readonly ringVersion: number; readonly ringKey: KeyObject }

export type Rings = {
  /** Resolves when each of the rings exists and this process can wrap with it. */
  ensure(names: readonly string[]): Promise<void>
  /**
   * A change that makes key parts for the streams of an account: the rings are there when it is
   * decided, also when another replica's contract needs a new one in the meantime.
   */
  changeWithRings<Answer>(
    billingId: string,
    newLevels: readonly number[],
    decide: Decide<Answer>,
  ): Promise<Answer>
  /** The newest version of a ring. @throws AppError `ring_missing` */
  current(name: string): Ring
}

export function createRings(deps: {
  writer: Writer
  follower: StateFollower
  kek: KekProvider
}): Rings {
  const { writer, follower, kek } = deps

  const make = async (names: readonly string[]): Promise<void> => {
    const wrapped = await Promise.all(
      names.map(async (name) => {
        const recordKey = ringKey(name, 1)
        const plain = randomBytes(32)
        const value = await wrapRing(kek, recordKey, plain)
        plain.fill(0)
        return { recordKey, value }
      }),
    )
    await writer.change((draft) => {
      for (const { recordKey, value } of wrapped)
        if (draft.key(recordKey) === undefined) draft.putKey(recordKey, value)
    })
  }

  const ensure = async (names: readonly string[]): Promise<void> => {
    await follower.keyring.ringsSettled()
    const missing = names.filter((name) => follower.keyring.newestRing(name) === undefined)
    if (missing.length === 0) return
    await make(missing)
    await follower.keyring.ringsSettled()
  }

  const ensureForAccount = (billingId: string, newLevels: readonly number[]): Promise<void> => {
    const levels = new Set([...levelsOf(follower.tables, billingId), ...newLevels])
    return ensure(['link', 'open', ...[...levels].map(levelPart)])
  }

  return {
    ensure,
    async changeWithRings(billingId, newLevels, decide) {
      for (let triesLeft = 3; ; triesLeft--) {
        await ensureForAccount(billingId, newLevels)
        try {
          return await writer.change(decide)
        } catch (error) {
          if (!hasCode(error, 'ring_missing')) throw error
          if (triesLeft === 0) throw new AppError('unavailable', error.message, { cause: error })
        }
      }
    },
    current(name) {
      const newest = follower.keyring.newestRing(name)
      if (newest === undefined)
        throw new AppError('ring_missing', `The key ring ${name} is not there yet; try again`)
      return { ringVersion: newest.version, ringKey: newest.key }
    },
  }
}

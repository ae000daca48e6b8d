// Creates wrapping keys when they are first needed, and gives auth their newest versions. docs/keys.md says which key
// records each wrapping key wraps.
import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { levelPart, wrapByKek } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { hasCode, withTimeout, AppError } from '@weir/kit'
import { act, wrappingKeyId } from '@weir/control-state'
import type { Change, Draft, StateFollower } from '@weir/control-state'
import type { Decide } from '../decide-changes.ts'
import type { Writer } from '../writer.ts'
import { refusal } from '../../errors.ts'

export type CurrentWrappingKey = {
  readonly keyVersion: number
  readonly wrappingKey: KeyObject
}

export type WrappingKeys = {
  /**
   * Runs a change that wraps with the named wrapping keys. When `decide` runs, these keys exist, and this process can
   * use their newest versions, even if another replica creates versions meanwhile.
   * @throws Refusal `unavailable`, and what `decide` throws
   */
  changeWith<Answer>(
    what: Change,
    names: readonly string[],
    decide: Decide<Answer>,
  ): Promise<Answer>
  /** Like `changeWith`, with all wrapping keys that the key records of an account's streams need. */
  changeFor<Answer>(
    what: Change,
    account: { billingId: string; newLevels?: readonly number[] },
    decide: Decide<Answer>,
  ): Promise<Answer>
  /**
   * Resolves when this process can use all wrapping keys that it has read.
   * @throws Refusal `unavailable`
   */
  settled(): Promise<void>
  /**
   * Returns the newest version of a wrapping key. If it is missing in a change of `changeWith` or `changeFor`, the
   * change is repeated.
   * @throws AppError `keys.ring_missing`
   */
  current(name: string): CurrentWrappingKey
}

const settleMs = 10_000
const triesMax = 4

/**
 * Creates a random wrapping key in wrapped form.
 * @throws Refusal `unavailable`
 */
export async function newWrappingKey(kek: KekProvider, recordKey: string): Promise<Buffer> {
  const plain = randomBytes(32)
  try {
    return await wrapByKek(kek, recordKey, plain)
  } catch (cause) {
    // Only the log has the details, because they are for auth's operators.
    throw refusal('unavailable', 'The KEK cannot be used now; try again', {
      cause,
    })
  } finally {
    plain.fill(0)
  }
}

type Deps = {
  readonly writer: Pick<Writer, 'change'>
  readonly follower: Pick<StateFollower, 'tables' | 'wrappingKeys'>
  readonly kek: KekProvider
}

export function createWrappingKeys(deps: Deps): WrappingKeys {
  const { writer, follower } = deps

  const change = async <Answer>(
    what: Change,
    namesNow: () => readonly string[],
    decide: Decide<Answer>,
  ): Promise<Answer> => {
    for (let tries = 1; ; tries++) {
      await ensure(deps, namesNow())
      try {
        return await writer.change(what, decide)
      } catch (error) {
        if (!hasCode(error, 'keys.ring_missing')) throw error
        if (tries === triesMax) throw refusal('unavailable', error.message, { cause: error })
      }
    }
  }

  const keyNamesFor = (billingId: string, newLevels: readonly number[]): string[] => {
    const levels = new Set([...levelsAskedBy(follower.tables, billingId), ...newLevels])
    return ['link', 'open', ...[...levels].map(levelPart)]
  }

  return {
    changeWith: (what, names, decide) => change(what, () => names, decide),
    changeFor: (what, { billingId, newLevels = [] }, decide) =>
      change(what, () => keyNamesFor(billingId, newLevels), decide),
    settled: () => settled(deps),
    current(name) {
      const newest = follower.wrappingKeys.newest(name)
      if (newest === undefined)
        throw new AppError(
          'keys.ring_missing',
          `The wrapping key ${name} does not exist yet; try again`,
        )
      return { keyVersion: newest.version, wrappingKey: newest.key }
    },
  }
}

/** Ensures that the wrapping keys exist, and that this process can use them. */
async function ensure(deps: Deps, names: readonly string[]): Promise<void> {
  await settled(deps)
  const missing = names.filter((name) => deps.follower.wrappingKeys.newest(name) === undefined)
  if (missing.length === 0) return
  await make(deps, missing)
  await settled(deps)
}

async function make({ writer, kek }: Deps, names: readonly string[]): Promise<void> {
  const wrapped = await Promise.all(
    names.map(async (name) => {
      const recordKey = wrappingKeyId(name, 1)
      return { name, recordKey, value: await newWrappingKey(kek, recordKey) }
    }),
  )
  const what = act({ actor: { kind: 'auth' } }, 'keys.ring.create', {})
  await writer.change(what, (draft) => {
    const made: string[] = []
    for (const { name, recordKey, value } of wrapped)
      if (draft.keys.under(wrappingKeyId(name, '')).length === 0) {
        draft.keys.put(recordKey, value)
        made.push(name)
      }
    draft.addToEntry({ rings: made })
  })
}

const settled = ({ follower }: Pick<Deps, 'follower'>): Promise<void> =>
  withTimeout(follower.wrappingKeys.settled(), settleMs, 'unwrapping the wrapping keys').catch(
    (cause: unknown) => {
      throw refusal('unavailable', 'A wrapping key cannot be unwrapped yet; try again', {
        cause,
      })
    },
  )

/** Returns the levels of an account's active contracts. */
export function levelsAskedBy(draft: Pick<Draft, 'contractsOf'>, billingId: string): number[] {
  const levels = new Set<number>()
  for (const contract of draft.contractsOf(billingId))
    if (contract.status === 'active')
      for (const level of Object.values(contract.piiFields)) levels.add(level)
  return [...levels].sort((a, b) => a - b)
}

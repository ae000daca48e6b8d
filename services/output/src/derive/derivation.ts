// Creates functions that derive an input's records with the keys and contracts in control state.
import type { Opener } from '@weir/fieldcrypt'
import type { InputStream, StateFollower } from '@weir/control-state'
import { createDerive } from './derive.ts'
import type { Derive, DeriveDeps, Leveled } from './derive.ts'
import { createKnownEras } from './known-eras.ts'
import type { Openings } from './openings.ts'
import type { KnownContract } from './known-contracts.ts'

export type DerivationDeps = {
  readonly follower: StateFollower
  contract(billingId: string, id: string): KnownContract | undefined
  readonly opener: Opener
  readonly openings: Openings
  now(): number
}

export const deriveOf = (deps: DerivationDeps, levels: Leveled, input: InputStream): Derive =>
  createDerive(deriveDepsOf(deps, input), levels, input)

export function deriveDepsOf(
  { follower, contract, opener, now }: DerivationDeps,
  input: InputStream,
): DeriveDeps {
  const { billingId } = input
  const eraKeys = createKnownEras({ follower, now }, input)
  return { opener, contract: (id) => contract(billingId, id), eraKeys }
}

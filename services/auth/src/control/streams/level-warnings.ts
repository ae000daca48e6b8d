// Warns of probable mistakes in a new output. The output is created nevertheless.
import type { DerivedStream, Tables } from '@weir/control-state'

/** Returns a sentence for each level that has neither a personal field nor a purpose. */
export function levelWarnings(
  state: Pick<Tables, 'account' | 'contractsOf'>,
  { billingId, consentLevels }: DerivedStream,
): string[] {
  const known = new Set([
    ...(state.account(billingId)?.purposes ?? []).map(({ level }) => level),
    ...state.contractsOf(billingId).flatMap(({ piiFields }) => Object.values(piiFields)),
  ])
  // Outputs may be created before contracts.
  if (known.size === 0) return []
  return consentLevels
    .filter((level) => !known.has(level))
    .map(
      (level) =>
        `No contract has a personal field of level ${level}, and no purpose names this level. The output only gets events whose consent contains it`,
    )
}

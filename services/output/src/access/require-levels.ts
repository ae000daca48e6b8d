// Refuses requests about outputs that this deployment does not derive, or may not decrypt.
import type { DerivedStream } from '@weir/control-state'
import { refusal } from '../errors.ts'
import { levelsDenied } from '../derive/levels.ts'
import type { LevelsAllowed } from '../derive/levels.ts'

/** @throws Refusal `level_not_served` */
export function requireLevels(
  stream: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  allowed: LevelsAllowed,
): void {
  const denied = levelsDenied(stream, allowed)
  if (denied.length > 0)
    throw refusal(
      'level_not_served',
      `This deployment may not decrypt fields of level ${denied.join(', ')}`,
    )
}

/** @throws Refusal `derived_elsewhere` */
export function requireServed(
  { decrypterName }: Pick<DerivedStream, 'decrypterName'>,
  decrypterNames: readonly string[],
): void {
  if (!decrypterNames.includes(decrypterName))
    throw refusal(
      'derived_elsewhere',
      `Send the request to the deployment whose DECRYPTER_NAMES contain ${decrypterName}`,
    )
}

// Refuses requests that need levels which this deployment may not decrypt.
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

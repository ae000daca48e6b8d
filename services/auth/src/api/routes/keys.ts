// The keys at rest, for the platform: what lies under which ring and KEK, and a rotation of all rings.
import { keyReport } from '../../control/keys/rotation/key-report.ts'
import { startRotation } from '../../control/keys/rotation/start-rotation.ts'
import type { PlatformCall } from '../../control/audit/managed.ts'
import type { Answer } from '../http.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { keysOf, rotationOf } from '../render-keys.ts'

export const showKeys =
  ({ stewardship }: Management) =>
  async (): Promise<Answer> => {
    await stewardship.follower.refresh()
    return { status: 200, body: keysOf(keyReport(stewardship.follower)) }
  }

/** Answers with the one that is under way, new or not. */
export const rotateKeys =
  (deps: Management) =>
  async ({ caller }: PlatformCall): Promise<Answer> => {
    const rotation = await startRotation(acting(deps, caller))
    const { partsLeft } = keyReport(deps.stewardship.follower)
    return { status: 202, body: rotationOf(rotation, partsLeft) }
  }

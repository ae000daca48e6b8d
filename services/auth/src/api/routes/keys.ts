// Shows the platform which wrapping keys and KEKs protect how many key records, and starts key rotations. Never shows a
// key.
import { keyReport } from '../../control/keys/rotation/key-report.ts'
import type { KeyReport } from '../../control/keys/rotation/key-report.ts'
import { startRotation } from '../../control/keys/rotation/start-rotation.ts'
import type { RotationRecord, UnusedKek } from '@weir/control-state'
import type { PlatformCall } from '../managed.ts'
import type { RouteAnswer } from '@weir/http-api'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import type { AnswerNamed } from '../answers/answers.ts'
import { timeOf } from '../render.ts'

export const showKeys =
  ({ state }: Pick<Management, 'state'>) =>
  async (): Promise<RouteAnswer> => {
    await state.refresh()
    return { status: 200, body: keysOf(keyReport(state)) }
  }

/** Starts a rotation if there is none in progress. Responds with the rotation in progress. */
export const rotateKeys =
  (deps: Pick<Management, 'keys' | 'state'>) =>
  async ({ caller }: PlatformCall): Promise<RouteAnswer> => {
    const rotation = await startRotation(acting(deps.keys, caller))
    const { partsLeft } = keyReport(deps.state)
    return { status: 202, body: rotationOf(rotation, partsLeft) }
  }

const keysOf = ({ rings, rotation, partsLeft }: KeyReport): AnswerNamed<'Keys'> => ({
  rings,
  unusedKeks: (rotation?.unusedKeks ?? []).map(unusedOf),
  rotation: rotation === undefined ? null : rotationOf(rotation, partsLeft),
})

const unusedOf = ({ kek, sinceMs }: UnusedKek) => ({ kek, since: timeOf(sinceMs) })

function rotationOf(rotation: RotationRecord, partsLeft: number): AnswerNamed<'Rotation'> {
  const { rotationId: id, startedAtMs, finishedAtMs, parts } = rotation
  const finishedAt = finishedAtMs === undefined ? null : timeOf(finishedAtMs)
  return { id, startedAt: timeOf(startedAtMs), finishedAt, parts, partsLeft }
}

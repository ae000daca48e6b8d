// How wrapping keys, KEKs and rotations are shown. Keys are never shown.
import type { KeyReport } from '../control/keys/rotation/key-report.ts'
import type { RotationRecord } from '@weir/control-state'

type Json = Record<string, unknown>

export const keysOf = ({ rings, rotation, partsLeft }: KeyReport): Json => ({
  rings,
  unusedKeks: (rotation?.unusedKeks ?? []).map(({ kek, sinceMs }) => ({ kek, since: at(sinceMs) })),
  rotation: rotation === undefined ? null : rotationOf(rotation, partsLeft),
})

export const rotationOf = (rotation: RotationRecord, partsLeft: number): Json => ({
  id: rotation.rotationId,
  startedAt: at(rotation.startedAtMs),
  finishedAt: rotation.finishedAtMs === undefined ? null : at(rotation.finishedAtMs),
  parts: rotation.parts,
  partsLeft,
})

const at = (ms: number): string => new Date(ms).toISOString()

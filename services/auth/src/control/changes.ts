// The dependencies of every change of control state: the actor, the writer and the clock. Each feature declares its
// further dependencies, and compose.ts creates them.
import type { Actor } from '@weir/control-state'
import type { Writer } from './writer.ts'

export type Changes = {
  readonly writer: Pick<Writer, 'change'>
  /** The actor for the audit log: a caller, or auth. */
  readonly actor: Actor
  /** The clock of control state, in epoch ms. */
  readonly now: () => number
}

// What every change of control state needs: the actor, the writer and the clock. Further needs are declared by each
// feature and composed in compose.ts.
import type { Actor } from '@weir/control-state'
import type { Writer } from './writer.ts'

export type Changes = {
  readonly writer: Pick<Writer, 'change'>
  /** For the audit log: a caller, or auth itself. */
  readonly actor: Actor
  /** The clock of control state, in epoch ms. */
  readonly now: () => number
}

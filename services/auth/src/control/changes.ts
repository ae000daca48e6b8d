// Changing control state, as every feature does it: who acts, through what, and when. What a feature needs beside
// that it says itself; all of it is composed in compose.ts.
import type { Actor } from '@weir/control-state'
import type { Writer } from './writer.ts'

export type Changes = {
  readonly writer: Pick<Writer, 'change'>
  /** A caller, or auth itself. For the audit log. */
  readonly actor: Actor
  /** The one clock of control state, epoch ms. */
  readonly now: () => number
}

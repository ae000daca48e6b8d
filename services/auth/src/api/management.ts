// What the management endpoints are made of, and how they look things up: in the tables, and once more
// after following control state to its end, since another replica may just have announced it.
import type { Registry } from '@weir/schema-registry'
import type { Actor, Limits, State } from '@weir/control-state'
import type { Stewardship } from '../control/stewardship.ts'
import type { AuditLog } from '../control/audit/audit-log.ts'
import type { Fold } from '../control/audit/fold-accesses.ts'
import type { Opaque } from '../control/audit/opaque.ts'
import type { Refusals } from '../control/audit/refusals.ts'
import type { ErasureView } from '../control/erasure/show.ts'
import type { Callers } from '../access/callers.ts'
import type { Shape } from './render.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import type { UsageLog } from '../usage/usage-log.ts'

export type Management = {
  /** Without an actor: see `acting`. */
  readonly stewardship: Omit<Stewardship, 'actor'>
  readonly callers: Callers
  readonly registry: Pick<Registry, 'register' | 'bySubject'>
  /** As tokens and receipts name it. */
  readonly issuer: string
  readonly defaultLimits: Limits
  readonly usage: Pick<UsageLog, 'ofStream'>
  readonly subjects: SubjectLog
  readonly erasures: ErasureView
  readonly audit: AuditLog
  /** What is noticed by now gets into the audit log first. */
  readonly foldAccesses: Fold
  /** What an account sees instead of numbers that count everybody's entries. */
  readonly opaque: { readonly entry: Opaque; readonly page: Opaque }
  readonly refusals: Refusals
}

/** Endpoints that show streams do it in one of two shapes. */
export type Shown = Management & { readonly shape: Shape }

/** The stewardship as a caller uses it: whatever it changes is told in the audit log as the caller's. */
export const acting = (
  { stewardship }: Pick<Management, 'stewardship'>,
  { actor }: { readonly actor: Actor },
): Stewardship => ({ ...stewardship, actor })

/** `look` throws `not_found` for what isn't there. */
export async function lookUp<Found>(
  { stewardship }: Management,
  look: (state: State) => Found,
): Promise<Found> {
  const { follower } = stewardship
  try {
    return look(follower.tables)
  } catch {
    await follower.refresh()
    return look(follower.tables)
  }
}

// The dependencies of the management endpoints, by feature.
import type { Actor, Limits, StateFollower } from '@weir/control-state'
import type { Changes } from '../control/changes.ts'
import type { AuditLog } from '../control/audit/audit-log.ts'
import type { Folder } from '../control/audit/fold-accesses.ts'
import type { Opaque } from '../control/audit/opaque.ts'
import type { Refusals } from '../control/audit/refusals.ts'
import type { Publishing } from '../control/contracts/publish-contract.ts'
import type { Erasing } from '../control/erasure/erase.ts'
import type { ErasureView } from '../control/erasure/erasure-view.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import type { StartingRotation } from '../control/keys/rotation/start-rotation.ts'
import type { Rotating } from '../control/keys/signing-keys.ts'
import type { Creation } from '../control/streams/create-stream.ts'
import type { Deleting } from '../control/streams/delete-stream.ts'
import type { Managing } from '../control/streams/change-stream.ts'
import type { AskingRebuild } from '../control/streams/rebuild-output.ts'
import type { Searches } from '../people/searches.ts'
import type { Callers } from '../access/callers.ts'
import type { UsageLog } from '../usage/usage-log.ts'
import type { RenderShape } from './render.ts'

/** The dependencies without the actor, which `acting` adds. */
type Unattributed<Deps> = Omit<Deps, 'actor'>

export type Management = {
  readonly callers: Callers
  readonly refusals: Refusals
  readonly state: Pick<StateFollower, 'tables' | 'keyStore' | 'refresh'>
  readonly accounts: Unattributed<Changes>
  readonly streams: Unattributed<Creation & Deleting & Managing & AskingRebuild>
  readonly contracts: Unattributed<Publishing>
  readonly erasures: Unattributed<Erasing>
  readonly keys: Unattributed<StartingRotation & Rotating>
  readonly audit: {
    readonly log: AuditLog
    /** Call before reading the log. */
    readonly fold: Folder['fold']
    /** Replaces sequence numbers and offsets (opaque.ts). */
    readonly opaque: { readonly entry: Opaque; readonly page: Opaque }
  }
  readonly usage: Pick<UsageLog, 'ofStream'>
  readonly subjects: SubjectLog
  readonly erasureView: ErasureView
  readonly searches: Searches
  /** The name of this Weir in tokens and receipts. */
  readonly issuer: string
  readonly defaultLimits: Limits
}

/** The dependencies of endpoints that show streams, in one of the two shapes. */
export type Shown = Management & { readonly shape: RenderShape }

/** Adds the caller to the dependencies, as the actor of the change in the audit log. */
export const acting = <Deps extends object>(
  deps: Deps,
  { actor }: { readonly actor: Actor },
): Deps & { readonly actor: Actor } => ({ ...deps, actor })

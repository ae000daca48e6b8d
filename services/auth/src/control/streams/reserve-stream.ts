// The first step of a stream's creation: one change that reserves its name. The record is complete except for an
// output's start offsets.
import { randomUUID } from 'node:crypto'
import {
  partOf,
  requireAccount,
  requireFreeName,
  requireInput,
  streamKey,
} from '@weir/control-state'
import type { DerivedStream, InputStream, NewCredential } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import { putKeyRecords } from '../keys/keep-eras.ts'
import { requireLimits, requireQuota } from '../quotas.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'

export type Reserving = Changes & { readonly wrappingKeys: WrappingKeys }

export type InputRequest = Pick<
  InputStream,
  | 'billingId'
  | 'name'
  | 'tags'
  | 'limits'
  | 'partitions'
  | 'retentionHours'
  | 'rotationHours'
  | 'keyRetentionDays'
>
export type DerivedRequest = Pick<
  DerivedStream,
  | 'billingId'
  | 'name'
  | 'linkedStream'
  | 'tags'
  | 'consentLevels'
  | 'consentLevelType'
  | 'decrypterName'
  | 'from'
  | 'retentionHours'
  | 'keyMaxAgeSeconds'
>

/** Also puts the stream's key records. */
export function reserveInput(
  deps: Reserving,
  request: InputRequest,
  credential: NewCredential,
): Promise<InputStream> {
  const { billingId, name } = request
  return deps.wrappingKeys.changeFor(partOf('stream.create'), { billingId }, (draft) => {
    const account = requireAccount(draft, billingId)
    requireFreeName(draft, billingId, name)
    requireQuota(draft, account, { streams: 1, partitions: request.partitions, credentials: 1 })
    requireLimits(account, request.limits)
    const stream: InputStream = { ...request, ...newStream(deps, credential), kind: 'input' }
    draft.put(streamKey(billingId, name), stream)
    putKeyRecords(deps, draft, stream)
    return stream
  })
}

export function reserveDerived(
  deps: Changes,
  request: DerivedRequest,
  credential: NewCredential | undefined,
): Promise<{ input: InputStream; reserved: DerivedStream }> {
  const { billingId, name } = request
  return deps.writer.change(partOf('output.create'), (draft) => {
    const input = requireInput(draft, billingId, request.linkedStream)
    requireFreeName(draft, billingId, name)
    requireQuota(draft, requireAccount(draft, billingId), {
      outputs: 1,
      partitions: input.partitions,
      credentials: credential === undefined ? 0 : 1,
    })
    const reserved: DerivedStream = {
      ...request,
      ...newStream(deps, credential),
      kind: 'derived',
      linkedStreamId: input.streamId,
      partitions: input.partitions,
    }
    draft.put(streamKey(billingId, name), reserved)
    return { input, reserved }
  })
}

function newStream({ now }: Pick<Changes, 'now'>, made: NewCredential | undefined) {
  const nowMs = now()
  return {
    type: 'stream' as const,
    streamId: randomUUID(),
    state: 'creating' as const,
    stateSinceMs: nowMs,
    enabled: true,
    credentials: made === undefined ? [] : [made.credential],
    createdAtMs: nowMs,
  }
}

// Deleting a stream, or an account with all its streams (docs/architecture.md 11). The record becomes `deleting`. From
// then on the stream does not exist for tokens, WebSockets and readers of the API. The clean-up does the rest later.
import {
  ERASURE_LOG_KEY,
  accountKey,
  act,
  contractKey,
  keyUseKey,
  requireAccount,
  requireInput,
  requireOutput,
  streamKey,
} from '@weir/control-state'
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { Audited, DerivedStream, Draft, StreamRecord } from '@weir/control-state'
import { clientIdsOf, revokingAccess } from '../acls/read-access.ts'
import type { Revoking } from '../acls/read-access.ts'
import type { Changes } from '../changes.ts'
import { logRemoval } from '../erasure/erasure-log.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { noteLentKeys } from './lent-keys.ts'

export type Deleting = Changes &
  Revoking & {
    readonly wrappingKeys: WrappingKeys
    /** Triggers the next pass of the clean-up. */
    readonly cleanUpSoon: () => void
  }

/** Returns all deleted streams: the outputs first, then the input stream. */
export async function deleteStream(
  deps: Deleting,
  request: { billingId: string; name: string; recursive: boolean },
): Promise<StreamRecord[]> {
  const target = { account: request.billingId, stream: request.name }
  const what = act(deps, 'stream.delete', target)
  const deleted = await putAllDeleting(deps, what, (draft) => {
    const stream = requireInput(draft, request.billingId, request.name)
    const outputs = draft.outputsOf(stream).filter(({ state }) => state !== 'deleting')
    if (outputs.length > 0 && !request.recursive) throw hasOutputs(stream.name, outputs)
    if (outputs.length > 0) draft.addToEntry({ outputs: outputs.map(({ name }) => name) })
    return [...outputs, stream]
  })
  // A stream that was still being created is not reported, because nobody knows it.
  return deleted.filter(({ state }) => state === 'ready')
}

export function deleteOutput(
  deps: Deleting,
  request: { billingId: string; input: string; name: string },
): Promise<DerivedStream[]> {
  const { billingId, input, name } = request
  const what = act(deps, 'output.delete', { account: billingId, stream: input, output: name })
  return putAllDeleting(deps, what, (draft) => [requireOutput(draft, billingId, request)])
}

/**
 * Deletes an account, its API keys and contracts, and all its streams. The clean-up does the rest, as for deleted
 * streams. The registry keeps the schemas, and the audit log its entries.
 */
export async function deleteAccount(deps: Deleting, billingId: string): Promise<StreamRecord[]> {
  const what = act(deps, 'account.delete', { account: billingId })
  const choose = (draft: Draft): StreamRecord[] => {
    requireAccount(draft, billingId)
    const streams = [...draft.streamsOf(billingId)].filter(({ state }) => state !== 'deleting')
    return streams.toSorted((a, b) => a.kind.localeCompare(b.kind)) // derived before input
  }
  const deleted = await putAllDeleting(deps, what, choose, (draft, streams) => {
    const { apiKeys } = requireAccount(draft, billingId)
    for (const { keyId } of apiKeys)
      if (draft.keyUse(billingId, keyId) !== undefined) draft.put(keyUseKey(billingId, keyId), null)
    const contracts = [...draft.contractsOf(billingId)]
    for (const { id } of contracts) draft.put(contractKey(billingId, id), null)
    draft.put(accountKey(billingId), null)
    if (streams.length > 0) draft.addToEntry({ streams: streams.map(({ name }) => name) })
  })
  return deleted.filter(({ state }) => state === 'ready')
}

/** Returns the streams in their state before the change. */
async function putAllDeleting<Stream extends StreamRecord>(
  deps: Deleting,
  what: Audited,
  choose: (draft: Draft) => Stream[],
  more: (draft: Draft, streams: readonly Stream[]) => void = () => {},
): Promise<Stream[]> {
  const doomed = await deps.writer.change('read', choose)
  const deleted = await revokingAccess(deps, clientIdsOf(doomed), () =>
    deps.wrappingKeys.changeWith(what, [ERASURE_LOG_KEY], (draft) => {
      const streams = choose(draft)
      for (const stream of streams) {
        putDeleting(draft, stream, deps.now())
        if (stream.kind === 'input') logRemoval(deps, draft, stream)
      }
      more(draft, streams)
      return streams
    }),
  )
  deps.cleanUpSoon()
  return deleted
}

/** Changes the state to `deleting`. From then on the stream exists only for the clean-up. */
export function putDeleting(draft: Draft, stream: StreamRecord, nowMs: number): void {
  const deleted: StreamRecord = {
    ...stream,
    ...(stream.state === 'creating' ? { neverReady: true } : {}),
    state: 'deleting',
    stateSinceMs: nowMs,
  }
  draft.put(streamKey(deleted.billingId, deleted.name), deleted)
  noteLentKeys(draft, stream, { changed: deleted, nowMs })
}

function hasOutputs(name: string, outputs: readonly StreamRecord[]): Refusal {
  const names = outputs.map((output) => output.name).join(', ')
  return refusal(
    'has_outputs',
    `The stream ${name} has derived streams: ${names}. Delete them first, or delete recursively`,
  )
}

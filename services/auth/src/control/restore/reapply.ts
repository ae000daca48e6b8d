// After a restore, applies every entry of `weir.erasures` again, because the backup contains keys that were removed
// later. Until then no service uses the keys (`_restoring`). Entries may be applied in any order, and more than once.
// So any replica of auth can start over after a crash.
import { act, erasuresTopic, isRestoring, partOf, restoringKey } from '@weir/control-state'
import type {
  Draft,
  ErasureRecord,
  InputStream,
  LoggedEntry,
  LoggedErasure,
  StateFollower,
} from '@weir/control-state'
import { createRangeReader } from '@weir/kafka'
import type { Kafka, LogOffsets, SourceRecord } from '@weir/kafka'
import { keysUnderStream } from '../keys/keep-eras.ts'
import { putDeleting } from '../streams/delete-stream.ts'
import type { Erasing } from '../erasure/erase.ts'
import { putErasurePiece } from '../erasure/erase.ts'
import { cutsInLogged, openLogged } from '../erasure/erasure-log.ts'
import { removeEra } from '../erasure/expire-eras.ts'
import { isAsPrepared, preparePiece, wipe } from '../erasure/puncture-terms.ts'
import type { Cut, Piece } from '../erasure/puncture-terms.ts'
import { refusal } from '../../errors.ts'

export type Reapplying = Omit<Erasing, 'follower'> & {
  readonly follower: Pick<StateFollower, 'tables' | 'keyring' | 'keyStore' | 'wrappingKeys'>
  /** Passes all records of `weir.erasures` to `onRecords`, in batches. */
  readonly readErasures: (
    onRecords: (records: readonly SourceRecord[]) => Promise<void>,
  ) => Promise<void>
}

export const readingErasures =
  (kafka: Kafka, offsets: Pick<LogOffsets, 'earliest' | 'ends'>): Reapplying['readErasures'] =>
  async (onRecords) => {
    const [from = 0n] = await offsets.earliest(erasuresTopic)
    const [to = 0n] = await offsets.ends(erasuresTopic, { isolation: 'read_committed' })
    const reader = createRangeReader(kafka)
    try {
      const range = { topic: erasuresTopic, partition: 0, from, to }
      await reader.read(range, (records) => onRecords(records).then(() => true))
    } finally {
      await reader.close()
    }
  }

/**
 * Does nothing without a restore. When this resolves, services may use the keys.
 * @throws AppError `backup.entry_unreadable`, Refusal `unavailable`
 */
export async function reapplyErasures(deps: Reapplying): Promise<void> {
  if (!isRestoring(deps.follower.keyStore)) return
  await deps.wrappingKeys.settled()
  let count = 0
  await deps.readErasures(async (records) => {
    const entries = entriesIn(deps, records)
    count += entries.length
    await applyAll(deps, entries)
  })
  await deps.writer.change(act(deps, 'backup.reapplied', {}), (draft) => {
    if (draft.keys.get(restoringKey) === undefined) return
    draft.keys.put(restoringKey, null)
    draft.addToEntry({ count })
  })
}

function entriesIn({ follower }: Reapplying, records: readonly SourceRecord[]): LoggedEntry[] {
  return records.flatMap(({ key, value }) => {
    const name = key?.toString() ?? ''
    return value === null || name.startsWith('_')
      ? []
      : [openLogged(follower, { key: name, value })]
  })
}

async function applyAll(deps: Reapplying, entries: readonly LoggedEntry[]): Promise<void> {
  const erasures = new Map<string, LoggedErasure[]>()
  for (const entry of entries) {
    if (entry.type === 'logged-removal') await applyRemoval(deps, entry)
    else {
      // The erasures of a group have the same trees and levels. So one check shows whether all were applied before the
      // backup.
      const { streamId, isWithdrawal, levels } = entry.record
      const group = `${streamId} ${isWithdrawal === true ? levels.join() : ''}`
      erasures.set(group, [...(erasures.get(group) ?? []), entry])
    }
  }
  for (const group of erasures.values()) {
    const stream = deps.follower.tables.streamById(group[0]?.record.streamId ?? '')
    // The keys of an unknown stream are lost, and those of a deleted stream are removed.
    if (stream?.kind !== 'input' || stream.state === 'deleting') continue
    await deps.inTurn(stream.streamId, async () => {
      if (await isApplied(deps, stream, group)) return
      for (const entry of group) await applyErasure(deps, stream, entry)
    })
  }
}

async function applyRemoval(
  deps: Reapplying,
  { streamId, era }: Extract<LoggedEntry, { type: 'logged-removal' }>,
): Promise<void> {
  await deps.writer.change(partOf('backup.reapplied'), (draft) => {
    const known = deps.follower.tables.streamById(streamId)
    const stream = known && draft.stream(known.billingId, known.name)
    if (stream?.kind !== 'input' || stream.streamId !== streamId) return
    const nowMs = deps.now()
    if (era !== undefined) return void removeEra(draft, stream, { era, nowMs })
    for (const each of [...draft.outputsOf(stream), stream])
      if (each.state !== 'deleting') putDeleting(draft, each, nowMs)
    for (const key of keysUnderStream(draft, stream)) draft.keys.put(key, null)
  })
}

/** Whether the restored trees contain no link of these erasures, and control state has their records. */
async function isApplied(
  deps: Reapplying,
  stream: InputStream,
  group: readonly LoggedErasure[],
): Promise<boolean> {
  const { streamId } = stream
  const isKnown = group.every(
    ({ record }) => deps.follower.tables.erasure(streamId, record.erasureId) !== undefined,
  )
  let cuts = group.flatMap(({ cuts: logged }) => cutsInLogged(logged))
  while (isKnown && cuts.length > 0) {
    const piece = await preparePiece(deps, { stream, cuts, levels: levelsOf(group[0]) })
    if (piece === undefined) return false
    wipe(piece)
    if (piece.parts.length > 0) return false
    cuts = cuts.slice(piece.done)
  }
  return isKnown
}

const levelsOf = (entry: LoggedErasure | undefined): readonly number[] | undefined =>
  entry?.record.isWithdrawal === true ? entry.record.levels : undefined

const triesMax = 20

async function applyErasure(
  deps: Reapplying,
  stream: InputStream,
  entry: LoggedErasure,
): Promise<void> {
  let cuts: readonly Cut[] = cutsInLogged(entry.cuts)
  let isPut = false
  for (let tries = 0; !isPut || cuts.length > 0; tries += 1) {
    if (tries > triesMax)
      throw refusal('unavailable', 'The keys of the stream are being changed; try again')
    await deps.wrappingKeys.settled()
    const piece = await preparePiece(deps, { stream, cuts, levels: levelsOf(entry) })
    if (piece === undefined) continue
    try {
      const put = (draft: Draft): boolean => putAgain(deps, draft, { record: entry.record, piece })
      isPut = await deps.wrappingKeys.changeWith(partOf('backup.reapplied'), ['open'], put)
      if (isPut) [cuts, tries] = [cuts.slice(piece.done), 0]
    } finally {
      wipe(piece)
    }
  }
}

/** Returns false if the keys have changed since the piece was prepared. */
function putAgain(
  deps: Reapplying,
  draft: Draft,
  { record, piece }: { record: ErasureRecord; piece: Piece },
): boolean {
  if (!isAsPrepared(draft, piece)) return false
  const known = draft.erasure(record.streamId, record.erasureId)
  if (known === undefined || piece.parts.length > 0)
    putErasurePiece(deps, draft, { record: reopened(known ?? record), piece })
  return true
}

/** The keys were restored, so the states after `accepted` must be reached again. */
function reopened({
  heardAtMs: _heard,
  appliedAtMs: _applied,
  outputs: _outputs,
  complete,
  destroyedAtMs: _destroyed,
  ...record
}: ErasureRecord): ErasureRecord {
  // A complete erasure has no markers any more.
  return complete === undefined ? record : { ...record, pieces: 0 }
}

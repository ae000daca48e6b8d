// The states of an accepted erasure (docs/forgetting.md). Applied: every ingest and output replica with a heartbeat has
// read the changed keys, and the readers' older keys have expired. Complete: Kafka's log contains no older version of
// the changed key records. Every auth replica checks pending erasures in a reconcile loop. The first replica that
// detects a new state writes it to the record.
import { treePart } from '@weir/fieldcrypt'
import type { Configs, LogScan } from '@weir/kafka'
import {
  act,
  beatKey,
  beatTimeIn,
  beatValue,
  termPrefix,
  erasureKey,
  keysLentUntil,
  keysTopic,
  markerKey,
  outputsHolding,
  partOf,
  replacedIn,
} from '@weir/control-state'
import type {
  AuditAction,
  Draft,
  ErasureRecord,
  ErasureScan,
  OutputThen,
  ReplicaFollower,
  StateFollower,
  Streams,
} from '@weir/control-state'
import type { Changes } from '../changes.ts'
import { deleteErasureKeys } from './delete-erasure.ts'

export type ErasureStates = {
  /** Checks all pending erasures once. Returns in how many ms to check again. */
  reconcile(): Promise<number>
}

export type ErasureStatesDeps = Changes & {
  readonly follower: Pick<StateFollower, 'tables' | 'keyStore' | 'catchUp' | 'positions'>
  readonly configs: Pick<Configs, 'topic'>
  readonly replicas: Pick<ReplicaFollower, 'replicas' | 'isRead' | 'catchUp'>
  readonly logScan: Pick<LogScan, 'scan'>
}

const applyEveryMs = 200
const idleMs = 5_000
const scanEveryMinMs = 500
const scanEveryMaxMs = 300_000

export function createErasureStates(deps: ErasureStatesDeps): ErasureStates {
  const { now } = deps
  const { tables } = deps.follower
  const applying = createApplying(deps)
  const completing = createCompleting(deps)
  let nextLookMs = 0

  return {
    async reconcile() {
      const pending = cutOut(tables)
      applying.forgetOthers(pending)
      completing.forgetOthers(pending)
      if (pending.length === 0) return idleMs
      await applying.apply(pending)
      if (now() >= nextLookMs) {
        const times = await keyLogTimes(deps)
        await beat(deps, times.segmentMs)
        await completing.complete(cutOut(tables), times)
        nextLookMs = now() + Math.min(idleMs, Math.max(scanEveryMinMs, times.segmentMs / 4))
      }
      const isWaiting = cutOut(tables).some(({ appliedAtMs }) => appliedAtMs === undefined)
      return isWaiting ? applyEveryMs : Math.max(applyEveryMs, nextLookMs - now())
    },
  }
}

/** Returns the pending erasures without links that erase-rest.ts still has to remove. */
const cutOut = (tables: Pick<StateFollower['tables'], 'pendingErasures'>): ErasureRecord[] =>
  tables.pendingErasures().filter(({ rest }) => rest === undefined)

/** Detects `applied`. */
function createApplying(deps: ErasureStatesDeps) {
  const { follower, now } = deps
  /** For each erasure, the offset up to which replicas must have read `weir.keys`. */
  const targets = new Map<string, bigint>()
  return {
    forgetOthers: (pending: readonly ErasureRecord[]) => keepOnly(targets, pending),
    async apply(pending: readonly ErasureRecord[]): Promise<void> {
      const waiting = pending.filter(({ appliedAtMs }) => appliedAtMs === undefined)
      if (waiting.length === 0) return
      if (waiting.some(({ erasureId }) => !targets.has(erasureId))) {
        // After `catchUp`, the tables contain the erasure's records, so the position is past them.
        await follower.catchUp()
        const { keys } = follower.positions()
        for (const { erasureId } of waiting)
          if (!targets.has(erasureId)) targets.set(erasureId, keys)
      }
      if (!deps.replicas.isRead()) return
      await deps.replicas.catchUp()
      // auth's replicas don't count, because auth decrypts no events.
      const opening = deps.replicas.replicas.heard().filter(({ beat }) => beat.service !== 'auth')
      const heard = opening.map(({ beat }) => BigInt(beat.keys))
      const everywhere = waiting.filter(({ erasureId }) => {
        const target = targets.get(erasureId)
        return target !== undefined && heard.every((keys) => keys >= target)
      })
      const isLentOut = (state: Pick<Streams, 'streamsOf'>, erasure: ErasureRecord): boolean =>
        keysLentUntil(state, erasure, erasure.heardAtMs ?? now()) > now()
      const lentOut = everywhere.filter((erasure) => isLentOut(follower.tables, erasure))
      const firstHeard = lentOut.filter(({ heardAtMs }) => heardAtMs === undefined)
      await reach(deps, 'erasure.heard', firstHeard, (draft, erasure) => {
        if (erasure.heardAtMs === undefined) put(draft, { ...erasure, heardAtMs: now() })
      })
      const applied = everywhere.filter((erasure) => !lentOut.includes(erasure))
      await reach(deps, 'erasure.applied', applied, (draft, erasure) => {
        if (erasure.appliedAtMs !== undefined || isLentOut(draft, erasure)) return
        put(draft, { ...erasure, appliedAtMs: now(), outputs: outputsNow(draft, erasure) })
      })
    },
  }
}

const outputsNow = (draft: Draft, erasure: ErasureRecord): OutputThen[] =>
  outputsHolding(draft, erasure).map(({ output: { streamId, name }, levels }) => {
    return { streamId, name, levels }
  })

/** Detects `complete`, after Kafka has had time to delete old files. */
function createCompleting(deps: ErasureStatesDeps) {
  const { now } = deps
  /** For each erasure, the scan that found no older key records in the log. */
  const clean = new Map<string, ErasureScan>()
  let nextScanMs = 0

  const scan = async (pending: readonly ErasureRecord[], segmentMs: number): Promise<void> => {
    const due = pending.filter(
      ({ erasureId, acceptedAtMs }) => !clean.has(erasureId) && now() - acceptedAtMs >= segmentMs,
    )
    if (due.length === 0 || now() < nextScanMs) return
    nextScanMs = now() + Math.min(scanEveryMaxMs, Math.max(scanEveryMinMs, segmentMs / 4))
    const { cleanIds, to, leader } = await scanFor(deps, due)
    const found = { scannedAtMs: now(), scannedTo: to.toString(), leader }
    for (const id of cleanIds) clean.set(id, found)
  }

  return {
    forgetOthers: (pending: readonly ErasureRecord[]) => keepOnly(clean, pending),
    async complete(
      pending: readonly ErasureRecord[],
      { segmentMs, fileDeleteMs }: KeyLogTimes,
    ): Promise<void> {
      await scan(pending, segmentMs)
      const done = pending.filter(({ erasureId, appliedAtMs }) => {
        const { scannedAtMs } = clean.get(erasureId) ?? {}
        const isGone = scannedAtMs !== undefined && now() - scannedAtMs >= fileDeleteMs
        return isGone && appliedAtMs !== undefined
      })
      await reach(deps, 'erasure.complete', done, (draft, erasure) => {
        const scanned = clean.get(erasure.erasureId)
        if (scanned === undefined) return
        put(draft, { ...erasure, complete: { ...scanned, atMs: now() } })
        deleteErasureKeys(draft, erasure.erasureId)
      })
    },
  }
}

function keepOnly(known: Map<string, unknown>, pending: readonly ErasureRecord[]): void {
  const ids = new Set(pending.map(({ erasureId }) => erasureId))
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
}

const put = (draft: Draft, erasure: ErasureRecord): void =>
  draft.put(erasureKey(erasure.streamId, erasure.erasureId), erasure)

/** Changes the current record of each erasure. */
async function reach(
  { writer, follower, actor }: ErasureStatesDeps,
  action: AuditAction,
  erasures: readonly ErasureRecord[],
  change: (draft: Draft, erasure: ErasureRecord) => void,
): Promise<void> {
  await Promise.all(
    erasures.map(({ billingId: account, streamId, erasureId: erasure }) => {
      const { name } = follower.tables.streamById(streamId) ?? {}
      const target = { account, erasure, ...(name === undefined ? {} : { stream: name }) }
      return writer.change(act({ actor }, action, target), (draft) => {
        const current = draft.erasure(streamId, erasure)
        if (current !== undefined && current.complete === undefined) change(draft, current)
      })
    }),
  )
}

// --- Kafka's log ---

type KeyLogTimes = { readonly segmentMs: number; readonly fileDeleteMs: number }

/** Reads the settings of the topic itself, because brokers may have refused those that auth requested. */
async function keyLogTimes({ configs }: Pick<ErasureStatesDeps, 'configs'>): Promise<KeyLogTimes> {
  const config = await configs.topic(keysTopic)
  const ms = (setting: string, otherwise: number): number => Number(config[setting] ?? otherwise)
  return { segmentMs: ms('segment.ms', 600_000), fileDeleteMs: ms('file.delete.delay.ms', 60_000) }
}

/**
 * Writes a record after each `segment.ms`, because Kafka closes a segment only when a record arrives after its time.
 */
async function beat(
  { writer, follower, now }: ErasureStatesDeps,
  segmentMs: number,
): Promise<void> {
  const isDue = (last: Buffer | undefined): boolean =>
    Math.abs(now() - beatTimeIn(last)) > segmentMs * 1.05
  if (!isDue(follower.keyStore.get(beatKey))) return
  await writer.change(partOf('erasure.complete'), (draft) => {
    if (isDue(draft.keys.get(beatKey))) draft.keys.put(beatKey, beatValue(now()))
  })
}

/**
 * Finds the erasures whose replaced key records have no older version in the log. Each transaction of an erasure wrote
 * a marker before its key records. Records before the marker are older, even if their transaction was aborted.
 */
async function scanFor(
  { logScan, follower }: Pick<ErasureStatesDeps, 'logScan' | 'follower'>,
  erasures: readonly ErasureRecord[],
): Promise<{ cleanIds: string[]; to: bigint; leader: number }> {
  const pieces = new Map(
    erasures.map((erasure) => [erasure.erasureId, piecesOf(follower.keyStore, erasure)]),
  )
  const all = [...pieces.values()].flatMap((each) => each ?? [])
  const markers = new Map(all.map(({ marker }) => [marker, undefined as bigint | undefined]))
  const firsts = new Map<string, bigint>()
  const watched = new Set(all.flatMap(({ replaced }) => replaced))
  const { to, leader } = await logScan.scan(keysTopic, ({ key, offset }) => {
    // A failed attempt leaves a marker, too, so the last marker counts.
    if (markers.has(key)) markers.set(key, offset)
    if (watched.has(key) && !firsts.has(key)) firsts.set(key, offset)
  })
  const isClean = ({ marker, replaced }: ErasurePiece): boolean => {
    const at = markers.get(marker)
    return at !== undefined && replaced.every((key) => (firsts.get(key) ?? to) > at)
  }
  const cleanIds = [...pieces].flatMap(([id, of]) => (of?.every(isClean) ? [id] : []))
  return { cleanIds, to, leader }
}

type ErasurePiece = {
  readonly marker: string
  /** The keys of the replaced records. */
  readonly replaced: readonly string[]
}

/** Returns undefined if a marker is missing, because the records of its transaction are then unknown. */
function piecesOf(
  keyStore: Pick<StateFollower['keyStore'], 'get'>,
  { erasureId, billingId, streamId, pieces }: ErasureRecord,
): ErasurePiece[] | undefined {
  const found: ErasurePiece[] = []
  for (let piece = 0; piece < pieces; piece += 1) {
    const marker = markerKey(erasureId, piece)
    const value = keyStore.get(marker)
    if (value === undefined) return undefined
    const replaced = replacedIn(value).map(
      ({ term, suffix }) => termPrefix({ billingId, streamId, term }) + treePart(suffix),
    )
    found.push({ marker, replaced })
  }
  return found
}

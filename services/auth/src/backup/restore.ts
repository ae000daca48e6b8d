// Restores a backup: first `_restoring`, so that no service uses the keys, then lost links of data subjects, then all
// other records in one transaction. auth removes `_restoring` when it has applied the erasures since the backup
// (control/restore/reapply.ts). The writer's transactional id fences an auth that still runs.
import type { AddressedRecord, Admin, Kafka, RangeReader, Transactor } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createRangeReader, createTransactor } from '@weir/kafka'
import type { Log } from '@weir/kit'
import {
  auditTopic,
  backupMaxAgeMs,
  controlTopic,
  controlValue,
  erasuresTopic,
  keysTopic,
  parseControlRecord,
  restoreKey,
  restoringKey,
  restoringValue,
  subjectsLostIn,
  subjectsTopic,
} from '@weir/control-state'
import type { RestoreRecord, Window } from '@weir/control-state'
import { makeControlTopics } from '../control/control-topics.ts'
import {
  erasuresLostSince,
  liveEntries,
  logKeys,
  lostEntries,
  recordName,
} from './erasures-known.ts'
import type { LostSince, Sources } from './erasures-known.ts'
import { readLines } from './lines.ts'
import type { SavedRecord } from './lines.ts'
import { withAuditLog } from './restore-audit.ts'
import { demandStopped } from './running.ts'
import { topicRecords } from './save.ts'

type RestoreDeps = {
  kafka: Kafka
  admin: Admin
  log: Log
  topicReplication: number | undefined
  say(line: string): void
}

export type RestoreOptions = {
  /** A copy of `weir.erasures` that is newer than the backup. */
  readonly copy?: AsyncIterable<string> | undefined
  /** Since when erasures are lost. `never`: no service has run since the backup. */
  readonly lostSince?: number | 'never' | undefined
}

const SEND_BYTES_MAX = 500_000
const RECORDS_MAX = 2_500
const TIMEOUT_MS = 60_000

type Restoring = Pick<RestoreDeps, 'admin'> & {
  readonly reader: RangeReader
  readonly transactor: Transactor
  readonly options: RestoreOptions
  readonly nowMs: number
}

export async function restoreTopics(
  { kafka, say, admin, topicReplication }: RestoreDeps,
  lines: AsyncIterable<string>,
  options: RestoreOptions = {},
): Promise<void> {
  const nowMs = Date.now()
  const { madeAtMs, records } = await readLines('backup', lines)
  if (nowMs - madeAtMs > backupMaxAgeMs) throw tooOld(madeAtMs)
  await makeControlTopics(admin.topics, topicReplication)
  const reader = createRangeReader(kafka)
  const transactor = createTransactor(kafka, {
    transactionalId: 'weir.control.writer',
    timeoutMs: TIMEOUT_MS,
  })
  const restoring = { admin, reader, transactor, options, nowMs }
  try {
    const { state, plan } = await readBackup(restoring, { madeAtMs, records })
    const written = allRecords(state, { madeAtMs, nowMs, plan })
    await send(transactor, written)
    say(`${written.length} records are restored. Start auth, then the others.`)
    if (plan.lost.sinceMs !== undefined)
      say(`Erasures since ${timeOf(plan.lost.sinceMs)} may be undone: request them again.`)
  } finally {
    await Promise.all([transactor.close(), reader.close()])
  }
}

type Plan = {
  readonly sources: Sources
  readonly lost: LostSince
  /** The last entry of the audit log, if Kafka still has it. */
  readonly lastEntry: Buffer | undefined
  readonly subjectsLost: boolean
}

/**
 * Reads the backup. Meanwhile writes the links of data subjects if they are lost: there may be many. Returns the rest.
 */
async function readBackup(
  restoring: Restoring,
  { madeAtMs, records }: { madeAtMs: number; records: AsyncIterable<SavedRecord> },
): Promise<{ state: SavedRecord[]; plan: Plan }> {
  const state: SavedRecord[] = []
  let links: SavedRecord[] = []
  let plan: Plan | undefined
  for await (const record of records) {
    if (record.topic !== subjectsTopic) {
      state.push(record)
      continue
    }
    plan ??= await begin(restoring, state, madeAtMs)
    if (!plan.subjectsLost) continue
    links.push(record)
    if (links.length < RECORDS_MAX) continue
    await send(restoring.transactor, links)
    links = []
  }
  plan ??= await begin(restoring, state, madeAtMs)
  if (links.length > 0) await send(restoring.transactor, links)
  return { state, plan }
}

/**
 * Throws if services run, if data would be overwritten, or if it isn't known which erasures are lost. Writes
 * `_restoring`.
 */
async function begin(
  { admin, reader, transactor, options, nowMs }: Restoring,
  state: readonly SavedRecord[],
  madeAtMs: number,
): Promise<Plan> {
  const { topics, offsets } = admin
  await demandStopped({ offsets, reader })
  if (!(await topics.isEmpty(controlTopic))) throw notEmpty(controlTopic)
  const all = async (topic: string): Promise<SavedRecord[]> => {
    const found: SavedRecord[] = []
    for await (const record of topicRecords({ offsets, reader }, topic))
      found.push({ topic, ...record })
    return found
  }
  const keys = await all(keysTopic)
  if (keys.some((record) => recordName(record) !== restoringKey)) throw notEmpty(keysTopic)
  const before = keys.at(-1)?.value ?? null
  const audit = (await all(auditTopic)).map(({ value }) =>
    value === null ? null : Buffer.from(value),
  )
  const copy = await copyOf(options, { madeAtMs, nowMs })
  const sources = {
    live: await all(erasuresTopic),
    backup: ofTopic(state, erasuresTopic),
    copy: copy.records,
  }
  const lost = erasuresLostSince({
    entries: liveEntries(audit, state),
    sources,
    copyMadeAtMs: copy.madeAtMs,
    lostSince: options.lostSince,
  })
  const subjectsLost =
    before === null ? await topics.isEmpty(subjectsTopic) : subjectsLostIn(Buffer.from(before))
  await transactor.fence()
  const value = restoringValue({ subjectsLost })
  await send(transactor, [{ topic: keysTopic, partition: 0, key: restoringKey, value }])
  return { sources, lost, lastEntry: audit.at(-1) ?? undefined, subjectsLost }
}

async function copyOf(
  { copy, lostSince }: RestoreOptions,
  { madeAtMs: backupMs, nowMs }: { madeAtMs: number; nowMs: number },
): Promise<{ records: SavedRecord[]; madeAtMs: number | undefined }> {
  if (typeof lostSince === 'number' && lostSince > nowMs)
    throw new AppError('backup.time_wrong', '--erasures-lost-since must not be in the future.')
  if (copy === undefined) return { records: [], madeAtMs: undefined }
  const { madeAtMs, records } = await readLines('erasures', copy)
  if (madeAtMs < backupMs)
    throw new AppError(
      'backup.copy_old',
      `The copy of the erasures is of ${timeOf(madeAtMs)}, before the backup. Use the newest copy.`,
    )
  const read: SavedRecord[] = []
  for await (const record of records) read.push(record)
  return { records: read, madeAtMs }
}

function allRecords(
  state: readonly SavedRecord[],
  { madeAtMs, nowMs, plan }: { madeAtMs: number; nowMs: number; plan: Plan },
): AddressedRecord[] {
  const { sources, lost, subjectsLost } = plan
  const since = (sinceMs: number | undefined): Window[] =>
    sinceMs === undefined ? [] : [{ sinceMs, untilMs: nowMs }]
  const former = formerRestore(state)
  const restored: RestoreRecord = {
    type: 'restore',
    restoredAtMs: nowMs,
    erasuresLost: [...(former?.erasuresLost ?? []), ...since(lost.sinceMs)],
    subjectsLost: [...(former?.subjectsLost ?? []), ...since(subjectsLost ? madeAtMs : undefined)],
  }
  const ofLog = [erasuresTopic, subjectsTopic]
  // Leaves out `_restoring` of an earlier restore, because it would replace the new `_restoring`.
  const saved = state.filter(
    (record) => !ofLog.includes(record.topic) && recordName(record) !== restoringKey,
  )
  const value = controlValue(restored)
  return [
    ...withAuditLog(
      [...saved, { topic: controlTopic, partition: 0, key: restoreKey, value }],
      plan.lastEntry,
      {
        nowMs,
        ...(lost.sinceMs === undefined ? {} : { erasuresLostSince: timeOf(lost.sinceMs) }),
      },
    ),
    ...lostEntries(sources),
    ...logKeys(sources, ofTopic(state, keysTopic)),
  ]
}

function formerRestore(state: readonly SavedRecord[]): RestoreRecord | undefined {
  const value = state.findLast((record) => recordName(record) === restoreKey)?.value ?? null
  const record = value === null ? undefined : parseControlRecord(restoreKey, Buffer.from(value))
  return record?.type === 'restore' ? record : undefined
}

const ofTopic = (records: readonly SavedRecord[], topic: string): SavedRecord[] =>
  records.filter((record) => record.topic === topic)

const timeOf = (ms: number): string => new Date(ms).toISOString()

const tooOld = (madeAtMs: number) =>
  new AppError(
    'backup.too_old',
    `The backup is of ${timeOf(madeAtMs)}. Backups of more than 90 days can't be restored, because later erasures may be unknown.`,
  )

const notEmpty = (topic: string) =>
  new AppError(
    'backup.not_empty',
    `${topic} is not empty. Stop all services and delete the topic first, if you no longer need it.`,
  )

async function send(transactor: Transactor, records: readonly AddressedRecord[]): Promise<void> {
  await transactor.transaction(async (transaction) => {
    for (const chunk of chunksOf(records)) await transaction.send(chunk)
  })
}

function chunksOf(records: readonly AddressedRecord[]): AddressedRecord[][] {
  const chunks: AddressedRecord[][] = []
  let bytes = SEND_BYTES_MAX
  for (const record of records) {
    const own = (record.key?.length ?? 0) + (record.value?.length ?? 0)
    if (bytes + own > SEND_BYTES_MAX) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(record)
    bytes += own
  }
  return chunks
}

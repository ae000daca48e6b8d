// Reports events that don't change control state: someone reads personal data, or an API key is in use. The reports are
// notices in `weir.accesses`. output may write this topic, too; only auth folds the notices into the audit log and
// control state (docs/audit.md). A reading is reported before any data is shown. The number of notices per caller is
// bounded. Beyond the bound readings are only counted, except the first of each kind per minute.
import { createBatchProducer } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { KeyHolder } from '../records/records.ts'
import { accessesTopic, noticeValue } from '../audit/notices.ts'
import type { Notice, Reading } from '../audit/notices.ts'
import { ControlStateError } from '../errors.ts'

export type AccessTrace = {
  /**
   * Resolves once the notice is stored.
   * @throws ControlStateError `control-state.unavailable`: the caller must then show nothing
   */
  read(reading: Reading): Promise<void>
  /** Reports a refusal to a known caller. Returns without waiting. */
  refused(refused: Reading & { readonly refused: string }): void
  /**
   * Reports a token for a derived stream's credentials, with one notice per hour.
   * @throws ControlStateError `control-state.unavailable`
   */
  token(reading: Reading): Promise<void>
  /**
   * Reports keys that a reader gets; `target.count` is their number. The first notice of a credential and hour is stored
   * before this resolves. The second, after the hour, has the number of all others.
   * @throws ControlStateError `control-state.unavailable`: the caller must then give no key
   */
  keys(reading: Reading): Promise<void>
  /** Reports the use of an API key, with one notice per hour and key. Returns without waiting. */
  used(holder: KeyHolder): void
  close(): Promise<void>
}

const atOnceMax = 30
const minuteMs = 60_000
const hourMs = 3_600_000
const produceTimeoutMs = 5_000
const inFlightBytesMax = 4_194_304

export function openAccessTrace(kafka: Kafka, log: Log): AccessTrace {
  const producer = createBatchProducer(kafka, { produceTimeoutMs, inFlightBytesMax })
  const trace = createAccessTrace({
    send: (value) =>
      producer.send(accessesTopic, 0, { key: '', value, headers: {}, timestampMs: Date.now() }),
    now: Date.now,
    log,
  })
  const counting = setInterval(() => void trace.tellCounts(), minuteMs)
  return {
    ...trace,
    async close() {
      clearInterval(counting)
      await trace.tellCounts({ isLast: true })
      await producer.close()
    },
  }
}

type TraceDeps = {
  readonly send: (value: Buffer) => Promise<void>
  readonly now: () => number
  readonly log: Log
}

export function createAccessTrace(
  deps: TraceDeps,
): Omit<AccessTrace, 'close'> & { tellCounts(last?: { readonly isLast: boolean }): Promise<void> } {
  const { now, log } = deps
  const inMinute = createTold(minuteMs, now)
  const inHour = createTold(hourMs, now)
  const counted = createCounted()
  const keys = createKeyNotices(deps, inHour)
  return {
    async read(reading) {
      const kind = kindOf(reading)
      const ofAccount = inMinute.count(reading.actor.billingId)
      if (inMinute.count(kind) > 1 && ofAccount > atOnceMax) return counted.add(kind, reading)
      await inMinute.unlessFailed(kind, writeReading(deps, reading))
    },
    refused(reading) {
      const { actor } = reading
      // One kind for all refusals, because a refused request may contain any names.
      const kind = `refused ${actor.billingId}`
      const target = { account: actor.billingId }
      if (inMinute.count(kind) > atOnceMax)
        return counted.add(kind, { action: 'access.refused', actor, target })
      writeReading(deps, reading).catch((err: unknown) =>
        log.warn({ err }, 'a refusal is not in the audit log'),
      )
    },
    async token(reading) {
      await inHour.first(`token ${callerIn(reading)}`, () => writeReading(deps, reading))
    },
    keys: keys.tell,
    used({ account: { billingId }, apiKey: { keyId } }) {
      const notice = { type: 'use-notice', at: timeText(now), billingId, keyId } as const
      inHour.first(`use ${billingId} ${keyId}`, () => write(deps, notice)).catch(() => undefined)
    },
    async tellCounts({ isLast } = { isLast: false }) {
      await writeCounts(deps, counted.takeAll())
      await keys.tellCounts(isLast)
    },
  }
}

/** The first notice of a credential and hour is written immediately, and that of all others after the hour. */
function createKeyNotices(deps: TraceDeps, inHour: Told) {
  const counted = createCounted()
  let hour = 0
  return {
    async tell(reading: Reading): Promise<void> {
      const kind = kindOf(reading)
      const isFirst = await inHour.first(kind, () => writeReading(deps, reading))
      if (!isFirst) counted.add(kind, reading, reading.target.count)
    },
    async tellCounts(isLast: boolean): Promise<void> {
      const current = Math.floor(deps.now() / hourMs)
      if (current === hour && !isLast) return
      hour = current
      await writeCounts(deps, counted.takeAll())
    },
  }
}

/** Readings without a notice of their own. Keeps the newest reading of each kind, the number and all levels. */
function createCounted() {
  let counted = new Map<string, Reading>()
  return {
    add(kind: string, reading: Reading, times = 1): void {
      const before = counted.get(kind)?.target
      const levels = new Set([...(before?.levels ?? []), ...(reading.target.levels ?? [])])
      const count = (before?.count ?? 0) + times
      const more = levels.size === 0 ? { count } : { count, levels: [...levels] }
      counted.set(kind, { ...reading, target: { ...reading.target, ...more } })
    },
    takeAll(): Reading[] {
      const all = [...counted.values()]
      counted = new Map()
      return all
    },
  }
}

const timeText = (now: () => number): string => new Date(now()).toISOString()
const write = ({ send }: TraceDeps, notice: Notice): Promise<void> => send(noticeValue(notice))

async function writeReading(deps: TraceDeps, reading: Reading): Promise<void> {
  try {
    await write(deps, { type: 'read-notice', at: timeText(deps.now), ...reading })
  } catch (cause) {
    throw new ControlStateError(
      'control-state.unavailable',
      'The audit log could not record this access, so nothing is shown; try again',
      { cause },
    )
  }
}

async function writeCounts(deps: TraceDeps, readings: readonly Reading[]): Promise<void> {
  for (const reading of readings) {
    const { action, target } = reading
    await writeReading(deps, reading).catch((err: unknown) =>
      deps.log.warn(
        { err, action, count: target.count },
        'some accesses are missing from the audit log',
      ),
    )
  }
}

const callerIn = ({ actor }: Reading): string =>
  actor.kind === 'credentials' ? actor.clientId : actor.keyId

/** Who reads which data in which way. Time, request and levels are left out, because they have too many values. */
function kindOf({ action, actor, target: { stream, output } }: Reading): string {
  const { requestId: _, ...who } = actor
  return JSON.stringify([action, who, stream, output])
}

type Told = ReturnType<typeof createTold>

/** Counts how often each thing was reported in the current minute or hour. */
function createTold(spanMs: number, now: () => number) {
  let counts = new Map<string, number>()
  let span = 0

  function count(what: string): number {
    const current = Math.floor(now() / spanMs)
    if (current !== span) counts = new Map()
    span = current
    const times = (counts.get(what) ?? 0) + 1
    counts.set(what, times)
    return times
  }
  /** Uncounts a report that failed. */
  async function unlessFailed(what: string, telling: Promise<void>): Promise<void> {
    await telling.catch((error: unknown) => {
      counts.delete(what)
      throw error
    })
  }
  return {
    count,
    unlessFailed,
    /** Reports only the first of its kind. Returns false for the others. */
    async first(what: string, tell: () => Promise<void>): Promise<boolean> {
      if (count(what) > 1) return false
      await unlessFailed(what, tell())
      return true
    },
  }
}

// Reports accesses to personal data (readings), and the use of API keys, as notices in `weir.accesses`. auth adds the
// notices to the audit log and control state (docs/audit.md). A reading is reported before any data is shown. An
// account may cause 30 notices of readings per minute. Further readings are only counted, except the first of each kind
// per minute.
import { createBatchProducer } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { KeyHolder } from '../records/records.ts'
import { accessesTopic, noticeValue } from '../audit/notices.ts'
import type { Notice, Reading } from '../audit/notices.ts'
import { ControlStateError } from '../errors.ts'

export type AccessTrace = {
  /**
   * Resolves once the notice is stored or, above the bound, counted.
   * @throws ControlStateError `control-state.unavailable`: the caller must then show nothing
   */
  read(reading: Reading): Promise<void>
  /** Reports that a known caller was refused. Returns without waiting. */
  refused(refused: Reading & { readonly refused: string }): void
  /**
   * Reports a token for a derived stream's credentials, with one notice per hour.
   * @throws ControlStateError `control-state.unavailable`
   */
  token(reading: Reading): Promise<void>
  /**
   * Reports keys that a reader gets; `target.count` is their number. The first notice of an hour for the reader's
   * credentials is stored before the promise resolves. A second notice, after the hour, has the number of all further
   * keys.
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
      // One kind for all refusals of an account, because a refused request may contain any names.
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

/**
 * For each credential and hour, writes the first notice immediately, and one notice about all further keys after the
 * hour.
 */
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

/** Collects readings without a notice of their own: for each kind, the newest reading, the number and all levels. */
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

/**
 * Returns the kind of a reading: who reads which data in which way. Leaves out time, request and levels, because they
 * have too many values.
 */
function kindOf({ action, actor, target: { stream, output } }: Reading): string {
  const { requestId: _, ...who } = actor
  return JSON.stringify([action, who, stream, output])
}

type Told = ReturnType<typeof createTold>

/** Counts the reports of each kind in the current minute or hour. */
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
  /** Removes the count if the report fails, so that the next report is a first one again. */
  async function unlessFailed(what: string, telling: Promise<void>): Promise<void> {
    await telling.catch((error: unknown) => {
      counts.delete(what)
      throw error
    })
  }
  return {
    count,
    unlessFailed,
    /** Calls `tell` only for the first report of its kind. Returns false for later reports. */
    async first(what: string, tell: () => Promise<void>): Promise<boolean> {
      if (count(what) > 1) return false
      await unlessFailed(what, tell())
      return true
    },
  }
}

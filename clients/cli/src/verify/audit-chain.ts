// Verifies the audit log from the bytes of its records. Each entry contains its number and the SHA-256 of the previous
// entry. The service keeps number and SHA-256 of the newest entry, the head, separately. Pure.
import { createHash } from 'node:crypto'
import { textAt, tryParseJson, valueAt } from '../json.ts'

/** An entry's number, and the SHA-256 of its bytes. */
export type Link = { readonly seq: number; readonly hash: string }

export type ChainRecord = { readonly offset: string; readonly value: Buffer }

/** What is wrong, and where. */
export type ChainFault = {
  readonly kind: 'unreadable' | 'changed' | 'missing' | 'out_of_order' | 'cut_off' | 'not_ours'
  readonly sentence: string
}

export type ChainWalk = {
  /** Takes the next records, in order. */
  take(records: readonly ChainRecord[]): void
  /** Returns whether the records so far end at the service's head. `behind`: more records may follow. */
  meets(head: Link | undefined): 'whole' | 'behind' | 'wrong'
  /** Adds the fault that the log ends before this head. */
  cutOff(head: Link): void
  readonly faults: readonly ChainFault[]
  readonly end: Link
  readonly firstTime: string | undefined
  readonly lastTime: string | undefined
}

const start: Link = { seq: 0, hash: '0'.repeat(64) }
const faultsMax = 20

type Seen = {
  readonly faults: readonly ChainFault[]
  end: Link
  firstTime: string | undefined
  lastTime: string | undefined
}

/** `passes` is an entry that was noted earlier, and must be in the log. */
export function walkChain(passes?: Link): ChainWalk {
  const faults: ChainFault[] = []
  const seen: Seen = { faults, end: start, firstTime: undefined, lastTime: undefined }
  let hasPassed = passes === undefined || passes.seq === 0

  const fault = (kind: ChainFault['kind'], sentence: string): void => {
    if (faults.length < faultsMax) faults.push({ kind, sentence })
  }

  const takeOne = ({ offset, value }: ChainRecord): void => {
    const entry = tryParseJson(value.toString('utf8'))
    const seq = valueAt(entry, 'seq')
    const at = `at offset ${offset}`
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1)
      return fault('unreadable', `The record ${at} is not an entry`)
    const hash = createHash('sha256').update(value).digest('hex')
    const wrong = misfit(seen.end, { seq, prev: textAt(entry, 'prev') }, at)
    if (wrong !== undefined) fault(wrong.kind, wrong.sentence)
    if (passes !== undefined && seq === passes.seq) {
      hasPassed = true
      if (hash !== passes.hash)
        fault('not_ours', `Entry ${seq} ${at} differs from the entry that was noted before`)
    }
    seen.end = { seq, hash }
    seen.lastTime = textAt(entry, 'time')
    seen.firstTime ??= seen.lastTime
  }
  const meets = (head: Link): 'whole' | 'behind' | 'wrong' => {
    if (seen.end.seq < head.seq) return 'behind'
    const wrong = misfitAtEnd(seen.end, head)
    if (wrong !== undefined) fault(wrong.kind, wrong.sentence)
    if (!hasPassed) fault('cut_off', `The noted entry ${passes?.seq} is not in the log`)
    return faults.length === 0 ? 'whole' : 'wrong'
  }

  return Object.assign(seen, {
    take: (records: readonly ChainRecord[]) => records.forEach(takeOne),
    meets: (head = start) => meets(head),
    cutOff: (head: Link) =>
      fault('cut_off', `The log is incomplete at its end: ${missing(seen.end.seq + 1, head.seq)}`),
  })
}

const missing = (from: number, to: number): string =>
  from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`

/** Returns why an entry can't follow `end`. */
function misfit(
  end: Link,
  { seq, prev }: { readonly seq: number; readonly prev: string | undefined },
  at: string,
): ChainFault | undefined {
  if (seq > end.seq + 1)
    return {
      kind: 'missing',
      sentence: `Before entry ${seq} ${at}: ${missing(end.seq + 1, seq - 1)}`,
    }
  if (seq <= end.seq)
    return {
      kind: 'out_of_order',
      sentence: `Entry ${seq} ${at} comes after entry ${end.seq}: it was repeated or moved`,
    }
  if (prev === end.hash) return undefined
  const sentence =
    end.seq === 0
      ? `Entry 1 ${at} was changed, or another entry was before it`
      : `Entry ${end.seq} or entry ${seq} ${at} was changed: they do not match`
  return { kind: 'changed', sentence }
}

/** Returns why `end` can't be the last entry if the service's head is `head`. */
function misfitAtEnd(end: Link, head: Link): ChainFault | undefined {
  if (end.seq > head.seq)
    return {
      kind: 'not_ours',
      sentence: `Entries after ${head.seq} were not written by the service`,
    }
  if (end.hash === head.hash) return undefined
  return {
    kind: 'changed',
    sentence: `Entry ${end.seq}, the last one, is not the one that was written`,
  }
}

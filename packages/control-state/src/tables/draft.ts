// Collects the puts of changes before the writer commits them. A change reads the tables with these puts applied.
// Nothing here writes to Kafka.
import type { Audited, AuditTarget, Change } from '../audit/audit.ts'
import { auditHeadKey, hashOf, nextEntry, noEntries } from '../audit/chain.ts'
import { isWrappingKeyId } from '../keyring/key-forms.ts'
import { overlayKeys } from '../keyring/key-store.ts'
import type { KeyDraft, KeysBelow } from '../keyring/key-store.ts'
import type { ControlRecord } from '../records/records.ts'
import type { RecordStore, State } from './state.ts'
import { overlay, stateOver } from './state.ts'

/** The state that a change sees: the tables, the puts of earlier changes, and its own puts. */
export type Draft = State & {
  put(key: string, record: ControlRecord | null): void
  readonly keys: KeyDraft
  /** Adds a record to `weir.erasures`, and the record's hash to the change's audit entry. */
  log(key: string, value: Buffer): void
  /** Adds data to the target of the change's audit entry. */
  addToEntry(more: AuditTarget): void
}

export type Put<Value> = {
  readonly key: string
  readonly value: Value | null
  readonly changeId: string
}

export type Attempt = {
  readonly id: string
  readonly what: Change
  readonly decide: (draft: Draft) => void
}

type Logged = { readonly key: string; readonly value: Buffer }

export type Batch = {
  /**
   * Runs one change on the draft. If the change throws, its puts are dropped. Otherwise they are kept, together with an
   * audit entry if the change needs one.
   */
  attempt(change: Attempt): void
  readonly control: readonly Put<ControlRecord>[]
  readonly keys: readonly Put<Buffer>[]
  /** Records of `weir.erasures`. */
  readonly log: readonly Logged[]
  /** Entries of the audit log, in the order of the hash chain. */
  readonly audit: readonly { readonly value: Buffer; readonly timeMs: number }[]
  /** The size of all values in `keys`, in bytes. */
  keyBytes(): number
}

export function createBatch(store: RecordStore, keyStore: KeysBelow, now: () => number): Batch {
  const records = overlay(store)
  const keys = overlayKeys(keyStore)
  const batch = {
    control: [] as Put<ControlRecord>[],
    keys: [] as Put<Buffer>[],
    log: [] as Logged[],
    audit: [] as { value: Buffer; timeMs: number }[],
  }

  /**
   * Adds an entry, and a record of the new head with the change's id. So a change without puts also has a record that
   * proves its commit.
   */
  const audit = (changeId: string, what: Audited, more: AuditTarget): void => {
    const timeMs = now()
    const before = stateOver(records).auditHead() ?? noEntries
    const target = { ...what.target, ...more }
    const { value, head } = nextEntry(before, { ...what, target }, timeMs)
    const headRecord = { type: 'audit-head', ...head } as const
    records.put(auditHeadKey, headRecord)
    batch.control.push({ key: auditHeadKey, value: headRecord, changeId })
    batch.audit.push({ value, timeMs })
  }

  let keyBytes = 0
  return {
    ...batch,
    keyBytes: () => keyBytes,
    attempt({ id: changeId, what, decide }) {
      const mine = overlay(records)
      const myKeys = overlayKeys(keys, keys.isChanged)
      const draft = { ...stateOver(mine), put: mine.put, keys: myKeys }
      const { more, logged } = outcomeOf(draft, decide)
      const isChange = mine.puts.size + myKeys.puts.size > 0
      if (isChange && what === 'read') throw new TypeError('a change that only reads puts nothing')
      keep(mine.puts, records.put, (put) => batch.control.push({ ...put, changeId }))
      keep(myKeys.puts, keys.put, (put) => {
        batch.keys.push({ ...put, changeId })
        keyBytes += put.value?.length ?? 0
      })
      batch.log.push(...logged)
      if (hasEntry(what, isChange)) audit(changeId, what, more)
    },
  }
}

/** Runs a change. Returns its additions to the target of its audit entry, and its records for `weir.erasures`. */
function outcomeOf(
  draft: Omit<Draft, 'log' | 'addToEntry'>,
  decide: Attempt['decide'],
): { more: AuditTarget; logged: readonly Logged[] } {
  let more: AuditTarget = {}
  const logged: Logged[] = []
  decide({
    ...draft,
    log: (key, value) => void logged.push({ key, value }),
    addToEntry: (added) => void (more = { ...more, ...added }),
  })
  return { more: logged.length === 0 ? more : { ...more, logged: hashesOf(logged) }, logged }
}

/** Returns the hashes of the records, except those of wrapping keys. */
const hashesOf = (logged: readonly Logged[]): string[] =>
  logged.filter(({ key }) => !isWrappingKeyId(key)).map(({ value }) => hashOf(value))

function keep<Value>(
  puts: ReadonlyMap<string, Value>,
  put: (key: string, value: Value) => void,
  tell: (put: { readonly key: string; readonly value: Value }) => void,
): void {
  for (const [key, value] of puts) {
    put(key, value)
    tell({ key, value })
  }
}

function hasEntry(what: Change, isChange: boolean): what is Audited {
  if (what === 'read' || what === 'unlogged' || 'partOf' in what) return false
  return isChange || what.always === true || what.refused !== undefined
}

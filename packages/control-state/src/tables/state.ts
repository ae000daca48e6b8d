// Control state as plain look-ups over records, wherever they lie: in the tables that follow
// `weir.control`, or in a writer's draft laid over them. No I/O, no clock.
import type { AuditHead } from '../audit/audit.ts'
import { auditHeadKey } from '../audit/audit.ts'
import type {
  AccessesRecord,
  AccountRecord,
  ContractRecord,
  DerivedStream,
  ErasureRecord,
  InputStream,
  KeyUseRecord,
  RotationRecord,
  ReceiptKeyRecord,
  SigningKeyRecord,
  StreamRecord,
  SubjectRecord,
} from '../records/records.ts'
import {
  accessesKey,
  accountKey,
  contractKey,
  rotationKey,
  erasureKey,
  keyUseKey,
  receiptKeyKey,
  signingKeyKey,
  streamKey,
  subjectKey,
} from '../records/records.ts'

export type ControlRecord =
  | AccountRecord
  | StreamRecord
  | ContractRecord
  | SubjectRecord
  | SigningKeyRecord
  | AuditHead
  | RotationRecord
  | ErasureRecord
  | ReceiptKeyRecord
  | KeyUseRecord
  | AccessesRecord

/** Records by key, and the keys under a folder (`stream/acme/`, `signing/`). */
export type RecordStore = {
  get(key: string): ControlRecord | undefined
  folder(prefix: string): Iterable<readonly [key: string, record: ControlRecord]>
}

export type State = {
  account(billingId: string): AccountRecord | undefined
  stream(billingId: string, name: string): StreamRecord | undefined
  streamsOf(billingId: string): StreamRecord[]
  /** The derived streams of an input stream, in whatever state, by name. */
  outputsOf(input: InputStream): DerivedStream[]
  contract(billingId: string, id: string): ContractRecord | undefined
  contractsOf(billingId: string): ContractRecord[]
  /** The account that a registry subject belongs to: the one that named it first. */
  subjectOwner(subject: string): string | undefined
  signingKey(kid: string): SigningKeyRecord | undefined
  signingKeys(): SigningKeyRecord[]
  /** The newest entry of the audit log. */
  auditHead(): AuditHead | undefined
  /** The last rotation, under way or done. */
  rotation(): RotationRecord | undefined
  erasure(streamId: string, erasureId: string): ErasureRecord | undefined
  erasuresOf(streamId: string): ErasureRecord[]
  receiptKeys(): ReceiptKeyRecord[]
  keyUse(billingId: string, keyId: string): KeyUseRecord | undefined
  /** How far `weir.accesses` is folded. */
  accesses(): AccessesRecord | undefined
}

/**
 * The records of one folder are all of one type, and only auth writes them: the one place where
 * stored JSON is taken for what its key says it is.
 */
const typed = <T extends ControlRecord>(record: ControlRecord | undefined): T | undefined =>
  record as T | undefined

export function stateOver(store: RecordStore): State {
  const list = <T extends ControlRecord>(prefix: string): T[] => {
    const records: T[] = []
    for (const [, record] of store.folder(prefix)) {
      const known = typed<T>(record)
      if (known !== undefined) records.push(known)
    }
    return records
  }
  const streamsOf = (billingId: string): StreamRecord[] =>
    list<StreamRecord>(streamKey(billingId, '')).sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    account: (billingId) => typed<AccountRecord>(store.get(accountKey(billingId))),
    stream: (billingId, name) => typed<StreamRecord>(store.get(streamKey(billingId, name))),
    streamsOf,
    outputsOf: (input) =>
      streamsOf(input.billingId).filter(
        (stream): stream is DerivedStream =>
          stream.kind === 'derived' && stream.linkedStreamId === input.streamId,
      ),
    contract: (billingId, id) => typed<ContractRecord>(store.get(contractKey(billingId, id))),
    contractsOf: (billingId) => list<ContractRecord>(contractKey(billingId, '')),
    subjectOwner: (subject) => typed<SubjectRecord>(store.get(subjectKey(subject)))?.ownerBillingId,
    signingKey: (kid) => typed<SigningKeyRecord>(store.get(signingKeyKey(kid))),
    signingKeys: () => list<SigningKeyRecord>(signingKeyKey('')),
    auditHead: () => typed<AuditHead>(store.get(auditHeadKey)),
    rotation: () => typed<RotationRecord>(store.get(rotationKey)),
    erasure: (streamId, erasureId) =>
      typed<ErasureRecord>(store.get(erasureKey(streamId, erasureId))),
    keyUse: (billingId, keyId) => typed<KeyUseRecord>(store.get(keyUseKey(billingId, keyId))),
    accesses: () => typed<AccessesRecord>(store.get(accessesKey)),
    receiptKeys: () => list<ReceiptKeyRecord>(receiptKeyKey('')),
    erasuresOf: (streamId) => list<ErasureRecord>(erasureKey(streamId, '')),
  }
}

/** The folder that a key lies in: everything up to its second slash (`signing/` has one alone). */
export function folderOf(key: string): string {
  const first = key.indexOf('/')
  const second = key.indexOf('/', first + 1)
  return key.slice(0, (second < 0 ? first : second) + 1)
}

/**
 * A store laid over another: what is put here is seen here alone. A null hides the record below.
 */
export function overlay(base: RecordStore): RecordStore & {
  put(key: string, record: ControlRecord | null): void
  readonly puts: ReadonlyMap<string, ControlRecord | null>
} {
  const puts = new Map<string, ControlRecord | null>()
  return {
    puts,
    put: (key, record) => void puts.set(key, record),
    get: (key) => {
      const put = puts.get(key)
      return put === undefined ? base.get(key) : (put ?? undefined)
    },
    *folder(prefix) {
      for (const entry of base.folder(prefix)) if (!puts.has(entry[0])) yield entry
      for (const [key, record] of puts)
        if (record !== null && folderOf(key) === prefix) yield [key, record]
    },
  }
}

// Look-ups in control state. They work on the tables that follow `weir.control`, and on a writer's draft. No I/O, no
// clock.
import type { SearchRecord, SubjectAccessRecord } from '../records/people-records.ts'
import type { AuditHead } from '../audit/audit.ts'
import { auditHeadKey } from '../audit/chain.ts'
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
  ControlRecord,
} from '../records/records.ts'
import {
  accessesKey,
  accountKey,
  contractKey,
  rotationKey,
  erasureKey,
  keyUseKey,
  receiptKeyKey,
  searchKey,
  subjectAccessKey,
  signingKeyKey,
  streamKey,
  subjectKey,
} from '../records/records.ts'

import { restoreKey } from '../records/restore-record.ts'
import type { RestoreRecord } from '../records/restore-record.ts'

/** Records by key. A folder is a prefix that keys share, such as `stream/acme/` or `signing/`. */
export type RecordStore = {
  get(key: string): ControlRecord | undefined
  folder(prefix: string): Entries
}
type Entries = Iterable<readonly [key: string, record: ControlRecord]>

export type AccountState = {
  account(billingId: string): AccountRecord | undefined
  keyUse(billingId: string, keyId: string): KeyUseRecord | undefined
}

export type Streams = {
  stream(billingId: string, name: string): StreamRecord | undefined
  streamsOf(billingId: string): StreamRecord[]
  /** The derived streams of an input stream, in any state, sorted by name. */
  outputsOf(input: InputStream): DerivedStream[]
}

export type Contracts = {
  contract(billingId: string, id: string): ContractRecord | undefined
  contractsOf(billingId: string): ContractRecord[]
  /** The account that owns a registry subject, because it was the first to name the subject in a contract. */
  subjectOwner(subject: string): string | undefined
}

export type Erasures = {
  erasure(streamId: string, erasureId: string): ErasureRecord | undefined
  erasuresOf(streamId: string): ErasureRecord[]
}

export type Restores = { restored(): RestoreRecord | undefined }

export type SearchRecords = {
  search(billingId: string, searchHash: string): SearchRecord | undefined
  searchesOf(billingId: string): SearchRecord[]
  subjectAccess(accessHash: string): SubjectAccessRecord | undefined
  /** The subject accesses of all accounts. */
  subjectAccesses(): SubjectAccessRecord[]
}

/** The public halves of keys, and the rotation of wrapping keys. */
export type PublicKeys = {
  signingKey(kid: string): SigningKeyRecord | undefined
  signingKeys(): SigningKeyRecord[]
  receiptKeys(): ReceiptKeyRecord[]
  /** The last rotation, finished or not. */
  rotation(): RotationRecord | undefined
}

export type AuditState = {
  /** Number and hash of the newest entry in the audit log. */
  auditHead(): AuditHead | undefined
  /** auth's position in `weir.accesses`. */
  accesses(): AccessesRecord | undefined
}

/** All look-ups. A function that needs only some of them names only their types. */
export type State = AccountState &
  Streams &
  Contracts &
  Erasures &
  Restores &
  SearchRecords &
  PublicKeys &
  AuditState

function typed<T extends ControlRecord['type']>(type: T, record: ControlRecord | undefined) {
  const isOfType = (one: ControlRecord): one is Extract<ControlRecord, { type: T }> =>
    one.type === type
  return record !== undefined && isOfType(record) ? record : undefined
}

function listed<T extends ControlRecord['type']>(type: T, records: Entries) {
  const found: Extract<ControlRecord, { type: T }>[] = []
  for (const [, record] of records) {
    const known = typed(type, record)
    if (known !== undefined) found.push(known)
  }
  return found
}

export function stateOver(store: RecordStore): State {
  const list = <T extends ControlRecord['type']>(type: T, prefix: string) =>
    listed(type, store.folder(prefix))
  const streamsOf = (billingId: string): StreamRecord[] =>
    list('stream', streamKey(billingId, '')).sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    account: (billingId) => typed('account', store.get(accountKey(billingId))),
    stream: (billingId, name) => typed('stream', store.get(streamKey(billingId, name))),
    streamsOf,
    outputsOf: (input) =>
      streamsOf(input.billingId).filter(
        (stream): stream is DerivedStream =>
          stream.kind === 'derived' && stream.linkedStreamId === input.streamId,
      ),
    contract: (billingId, id) => typed('contract', store.get(contractKey(billingId, id))),
    contractsOf: (billingId) => list('contract', contractKey(billingId, '')),
    subjectOwner: (subject) =>
      typed('subject-owner', store.get(subjectKey(subject)))?.ownerBillingId,
    signingKey: (kid) => typed('signing-key', store.get(signingKeyKey(kid))),
    signingKeys: () => list('signing-key', signingKeyKey('')),
    auditHead() {
      const head = typed('audit-head', store.get(auditHeadKey))
      return head && { seq: head.seq, hash: head.hash }
    },
    restored: () => typed('restore', store.get(restoreKey)),
    rotation: () => typed('rotation', store.get(rotationKey)),
    erasure: (streamId, erasureId) => typed('erasure', store.get(erasureKey(streamId, erasureId))),
    keyUse: (billingId, keyId) => typed('api-key-use', store.get(keyUseKey(billingId, keyId))),
    accesses: () => typed('accesses-position', store.get(accessesKey)),
    receiptKeys: () => list('receipt-key', receiptKeyKey('')),
    search: (billingId, hash) => typed('search', store.get(searchKey(billingId, hash))),
    searchesOf: (billingId) => list('search', searchKey(billingId, '')),
    subjectAccess: (hash) => typed('subject-access', store.get(subjectAccessKey(hash))),
    subjectAccesses: () => list('subject-access', subjectAccessKey('')),
    erasuresOf: (streamId) => list('erasure', erasureKey(streamId, '')),
  }
}

/** Returns the key up to its second slash or, if there is only one slash, up to this one. */
export function folderOf(key: string): string {
  const first = key.indexOf('/')
  const second = key.indexOf('/', first + 1)
  return key.slice(0, (second < 0 ? first : second) + 1)
}

/** Returns a store with its own puts over the records of `base`. A put of null hides a record of `base`. */
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

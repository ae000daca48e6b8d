// Defines the stored form of each record in `weir.control` (docs/formats.md). A change of a form needs a new version,
// unless it only adds an optional member.
import { roles } from '../roles.ts'
import type { AuditHeadRecord } from '../audit/audit.ts'
import { checked, createForm, malformed, parserOf, storedAs } from '../forms/form.ts'
import type { Form, Parser } from '../forms/form.ts'
import {
  anything,
  either,
  flag,
  listOf,
  number,
  objectOf,
  oneOf,
  optional,
  tableOf,
  text,
} from '../forms/guards.ts'
import { isFoundPeople, isSearch, isSubjectAccess, isTerm } from './people-forms.ts'
import { controlTopic } from './records.ts'
import type { ConsentPurpose } from './purposes.ts'
import type { RestoreRecord, Window } from './restore-record.ts'
import type {
  AccessesRecord,
  AccountRecord,
  ApiKeyRecord,
  ContractRecord,
  ControlRecord,
  Credential,
  DerivedStream,
  ErasureRecord,
  ErasureRest,
  InputStream,
  KeyUseRecord,
  Limits,
  OutputThen,
  Rebuild,
  ReceiptKeyRecord,
  ReplicaLease,
  RotationRecord,
  SigningKeyRecord,
  SubjectRecord,
  UnusedKek,
} from './records.ts'

const isApiKey = objectOf<ApiKeyRecord>({
  keyId: text,
  hash: text,
  name: text,
  role: oneOf(...roles),
  createdAtMs: number,
  expiresAtMs: optional(number),
})

const isAccount = objectOf<AccountRecord>({
  type: oneOf('account'),
  billingId: text,
  apiKeys: listOf(isApiKey),
  createdAtMs: number,
  quotas: optional(tableOf(number)),
  purposes: optional(listOf(objectOf<ConsentPurpose>({ name: text, title: text, level: number }))),
})

const isCredential = objectOf<Credential>({
  clientId: text,
  secretHash: text,
  scope: listOf(oneOf('send', 'listen')),
  createdAtMs: number,
})

const isLease = objectOf<ReplicaLease>({ replica: text, untilMs: number })

const ofStreams = {
  type: oneOf('stream'),
  billingId: text,
  name: text,
  streamId: text,
  state: oneOf('creating', 'ready', 'deleting'),
  stateSinceMs: number,
  enabled: flag,
  tags: listOf(text),
  credentials: listOf(isCredential),
  partitions: number,
  retentionHours: optional(number),
  createdAtMs: number,
  neverReady: optional(oneOf(true)),
  cleaner: optional(isLease),
}

const isInput = objectOf<InputStream>({
  ...ofStreams,
  kind: oneOf('input'),
  limits: objectOf<Limits>({ eventRate: text, eventCount: text }),
  rotationHours: number,
  keyRetentionDays: number,
  keysExpiredAtMs: optional(number),
  keysLentUntilMs: optional(number),
})

const isDerived = objectOf<DerivedStream>({
  ...ofStreams,
  kind: oneOf('derived'),
  linkedStream: text,
  linkedStreamId: text,
  consentLevels: listOf(number),
  consentLevelType: oneOf('CUMULATIVE', 'GRANULAR'),
  decrypterName: text,
  from: oneOf('earliest', 'now'),
  startOffsets: optional(listOf(text)),
  keyMaxAgeSeconds: optional(number),
  rebuild: optional(
    objectOf<Rebuild>({
      number,
      askedAtMs: number,
      cut: optional(
        objectOf<NonNullable<Rebuild['cut']>>({
          atMs: number,
          derived: listOf(text),
          dead: listOf(text),
        }),
      ),
    }),
  ),
})

const isContract = objectOf<ContractRecord>({
  type: oneOf('contract'),
  billingId: text,
  id: text,
  status: oneOf('active', 'archived'),
  schemaRegistryRef: text,
  subject: text,
  registryId: number,
  registryVersion: number,
  schemaText: text,
  validations: listOf(
    objectOf<ContractRecord['validations'][number]>({
      field: text,
      type: oneOf('regex'),
      value: text,
      engine: oneOf('v8', 're2'),
    }),
  ),
  keyField: text,
  piiFields: tableOf(number),
  dataSubjectField: optional(text),
  createdAtMs: number,
})

const isSigningKey = objectOf<SigningKeyRecord>({
  type: oneOf('signing-key'),
  kid: text,
  publicJwk: tableOf(anything),
  signsFromMs: number,
  signsUntilMs: number,
  publishedUntilMs: number,
})

const isRotation = objectOf<RotationRecord>({
  type: oneOf('rotation'),
  rotationId: text,
  startedAtMs: number,
  rings: tableOf(number),
  parts: number,
  finishedAtMs: optional(number),
  worker: optional(isLease),
  unusedKeks: listOf(objectOf<UnusedKek>({ kek: text, sinceMs: number })),
})

const isReceiptKey = objectOf<ReceiptKeyRecord>({
  type: oneOf('receipt-key'),
  kid: text,
  publicJwk: tableOf(anything),
  receiptsFromMs: number,
})

export const isErasure = objectOf<ErasureRecord>({
  type: oneOf('erasure'),
  erasureId: text,
  billingId: text,
  streamId: text,
  as: listOf(isTerm),
  subjects: listOf(text),
  found: isFoundPeople,
  counted: number,
  isWithdrawal: optional(oneOf(true)),
  levels: listOf(number),
  reference: optional(text),
  dueOn: optional(text),
  terms: listOf(number),
  pieces: number,
  rest: optional(objectOf<ErasureRest>({ links: number, done: number, worker: optional(isLease) })),
  keks: listOf(text),
  acceptedAtMs: number,
  heardAtMs: optional(number),
  appliedAtMs: optional(number),
  outputs: optional(
    listOf(objectOf<OutputThen>({ streamId: text, name: text, levels: listOf(number) })),
  ),
  complete: optional(
    objectOf<NonNullable<ErasureRecord['complete']>>({
      scannedAtMs: number,
      scannedTo: text,
      leader: number,
      atMs: number,
    }),
  ),
  destroyedAtMs: optional(number),
})

const isWindows = listOf(objectOf<Window>({ sinceMs: number, untilMs: number }))
const isRestore = objectOf<RestoreRecord>({
  type: oneOf('restore'),
  restoredAtMs: number,
  erasuresLost: isWindows,
  subjectsLost: isWindows,
})

type Type = ControlRecord['type']
type FormOf<T extends Type> = Form<Extract<ControlRecord, { type: T }>>

const forms: { readonly [T in Type]: FormOf<T> } = {
  account: createForm('account', checked(isAccount)),
  stream: createForm('stream', checked(either(isInput, isDerived))),
  contract: createForm('contract', checked(isContract)),
  'subject-owner': createForm(
    'subject-owner',
    checked(
      objectOf<SubjectRecord>({
        type: oneOf('subject-owner'),
        subject: text,
        ownerBillingId: text,
      }),
    ),
  ),
  'signing-key': createForm('signing-key', checked(isSigningKey)),
  'receipt-key': createForm('receipt-key', checked(isReceiptKey)),
  rotation: createForm('rotation', checked(isRotation)),
  erasure: createForm('erasure', checked(isErasure)),
  search: createForm('search', checked(isSearch)),
  'subject-access': createForm('subject-access', checked(isSubjectAccess)),
  restore: createForm('restore', checked(isRestore)),
  'api-key-use': createForm(
    'api-key-use',
    checked(objectOf<KeyUseRecord>({ type: oneOf('api-key-use'), usedAtMs: number })),
  ),
  'accesses-position': createForm(
    'accesses-position',
    checked(objectOf<AccessesRecord>({ type: oneOf('accesses-position'), nextOffset: text })),
  ),
  'audit-head': createForm(
    'audit-head',
    checked(objectOf<AuditHeadRecord>({ type: oneOf('audit-head'), seq: number, hash: text })),
  ),
}

/** The key prefix of each type. */
const keysOf = {
  account: 'account/',
  stream: 'stream/',
  contract: 'contract/',
  'subject-owner': 'subject/',
  'signing-key': 'signing/',
  'receipt-key': 'receipt/',
  rotation: 'rotation/',
  restore: 'restore/',
  erasure: 'erasure/',
  search: 'search/',
  'subject-access': 'subject-access/',
  'api-key-use': 'key-use/',
  'accesses-position': 'accesses/',
  'audit-head': 'audit/',
} satisfies Record<Type, string>

const parse = parserOf<ControlRecord>(controlTopic, Object.values(forms))

/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export const parseControlRecord: Parser<ControlRecord> = (key, value) => {
  const record = parse(key, value)
  if (key.startsWith(keysOf[record.type])) return record
  throw malformed(controlTopic, key, `type ${record.type}`)
}

export const controlValue = (record: ControlRecord): Buffer => storedAs(forms[record.type], record)

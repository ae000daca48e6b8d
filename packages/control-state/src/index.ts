// The public interface of control state, folder by folder. README.md describes each folder.

export { ControlStateError } from './errors.ts'
export type { AccessErrorCode, ControlStateErrorCode } from './errors.ts'

// Following control state: tables and look-ups, drafts of changes.
export { changeHeader, createChangeLog } from './tables/change-log.ts'
export { createBatch } from './tables/draft.ts'
export type { Attempt, Batch, Draft } from './tables/draft.ts'
export { followState, isRestoring } from './tables/follow.ts'
export type { StateFollower, StateFollowing } from './tables/follow.ts'
export type { KeyHolder } from './records/records.ts'
export { stateFields } from './tables/state-settings.ts'
export type {
  Contracts,
  Erasures,
  PublicKeys,
  Restores,
  SearchRecords,
  State,
  Streams,
} from './tables/state.ts'
export { onStreamGone } from './tables/stream-gone.ts'
export { createTables } from './tables/tables.ts'
export type { Tables } from './tables/tables.ts'

// Records, their keys and their rules.
export {
  consentLevels,
  consentLevelType,
  hasOneLevelIfCumulative,
  oneLevelRule,
} from './records/consent-levels.ts'
export { controlValue, parseControlRecord } from './records/control-forms.ts'
export {
  keysLentUntil,
  opensLevel,
  outputsForReaders,
  outputsHolding,
} from './tables/holding-outputs.ts'
export type { HoldingOutput } from './tables/holding-outputs.ts'
export type {
  ErasureTerm,
  FoundBy,
  FoundConsent,
  FoundInStream,
  FoundInOutput,
  FoundPeople,
  DecryptedField,
  HeldIn,
  SearchRecord,
  SubjectAccessRecord,
} from './records/people-records.ts'
export { defaultQuotas, forEachQuota, quotasOf } from './records/quotas.ts'
export type { QuotaName, Quotas } from './records/quotas.ts'
export type { ConsentPurpose } from './records/purposes.ts'
export {
  accessesKey,
  accountKey,
  contractKey,
  controlTopic,
  erasureKey,
  isDecryptedByReaders,
  isRebuilding,
  keysTopic,
  keyUseKey,
  receiptKeyKey,
  searchKey,
  rotationKey,
  signingKeyKey,
  streamKey,
  subjectAccessKey,
  subjectKey,
} from './records/records.ts'
export {
  topicOf,
  accountOfTopic,
  deadLetterTopicOf,
  groupOf,
  TRANSACTIONAL_ID_PREFIX,
  transactionalIdOf,
} from './records/topic-names.ts'
export type {
  AccountRecord,
  ApiKeyRecord,
  ConsentLevelType,
  ContractRecord,
  ControlRecord,
  Credential,
  DerivedStream,
  ErasureRecord,
  ErasureRest,
  ErasureScan,
  InputStream,
  Limits,
  LogStarts,
  OutputThen,
  ReceiptKeyRecord,
  ReplicaLease,
  RotationRecord,
  Scope,
  SigningKeyRecord,
  StreamRecord,
  UnusedKek,
} from './records/records.ts'
export {
  noContract,
  requireAccount,
  requireErasure,
  requireFreeName,
  requireInput,
  requireOutput,
} from './tables/rules.ts'
export {
  checkSubjectLink,
  linkIn,
  subjectKeyOf,
  subjectLinkValue,
  subjectPartitionOf,
  subjectPrefix,
  subjectsPartitions,
  subjectsRetentionMs,
  subjectsTopic,
} from './records/subjects.ts'
export {
  backupMaxAgeMs,
  erasuresRetentionMs,
  erasuresTopic,
  loggedErasureKey,
  loggedRemovalKey,
  loggedValue,
  parseLogged,
} from './records/erasure-log.ts'
export { restoreKey } from './records/restore-record.ts'
export type { RestoreRecord, Window } from './records/restore-record.ts'
export type { LoggedCuts, LoggedEntry, LoggedErasure } from './records/erasure-log.ts'

// The records of `weir.keys`, and the keys of terms and eras.
export { forgetPeople } from './tables/forget-people.ts'
export type { People } from './tables/forget-people.ts'
export {
  ERASURE_LOG_KEY,
  beatKey,
  beatTimeIn,
  beatValue,
  checkKeyRecord,
  cutsKey,
  cutsOf,
  cutsValue,
  erasurePrefix,
  linksInCuts,
  markerKey,
  markerValue,
  isWrappingKeyId,
  privateReceiptKey,
  privateSigningKey,
  replacedIn,
  restoringKey,
  restoringValue,
  subjectsLostIn,
  wrappingKeyId,
  versionOfKeyId,
} from './keyring/key-forms.ts'
export type { ReplacedPart } from './keyring/key-forms.ts'
export type { KeyDraft, KeyStore } from './keyring/key-store.ts'
export { createKeys } from './keyring/keyring.ts'
export type { Keyring, Keys } from './keyring/keyring.ts'
export {
  eraPrefix,
  keyRecordName,
  levelsInEra,
  levelsInTerm,
  termPrefix,
} from './keyring/open-keys.ts'
export type { KeyRecordName, StreamTerm } from './keyring/open-keys.ts'
export type { UnwrappedKeys } from './keyring/unwrapped-keys.ts'

// Where KEKs come from.
export { withKekRules } from './kek/kek-settings.ts'
export type { KekSettings } from './kek/kek-settings.ts'
export { kekOfKey, kekWrapsFields, withWrapRules } from './kek/kek-wraps.ts'
export { loadKek } from './kek/load-kek.ts'
export type { HeldKeks } from './kek/kek-place.ts'

// Whom a token or an API key belongs to, and what it permits.
export { createGate } from './access/access.ts'
export type { Access, Gate } from './access/access.ts'
export { bearerOf, createAccounts } from './access/api-keys.ts'
export type { Accounts } from './access/api-keys.ts'
export { hasRole, isRole, requireRole, roles } from './roles.ts'
export type { Needs, Role, RouteNeeds } from './roles.ts'
export { openPerson, sealPerson } from './access/sealed-person.ts'
export type { AccessPerson } from './access/sealed-person.ts'
export { isSecretId, newSecretId, openUnder, sealUnder, secretHashOf } from './access/secret-ids.ts'
export { hashSecret, newApiKey, newCredential } from './access/secrets.ts'
export type { NewApiKey, NewCredential } from './access/secrets.ts'
export { createVerificationKeys } from './access/verification-keys.ts'

// Entries of the audit log, and notices of accesses.
export { openAccessTrace } from './access/accesses.ts'
export type { AccessTrace } from './access/accesses.ts'
export { act, partOf } from './audit/audit.ts'
export type {
  Actor,
  AuditAction,
  Audited,
  AuditEntry,
  AuditHead,
  AuditTarget,
  Settings,
  Change,
} from './audit/audit.ts'
export { auditHeadKey, hashOf, nextEntry, noEntries } from './audit/chain.ts'
export { auditTopic, parseEntry } from './audit/entry-form.ts'
export { accessesTopic, parseNotice } from './audit/notices.ts'
export type { Notice, Reading } from './audit/notices.ts'

// Heartbeats and counts of replicas.
export { followReplicas } from './replicas/follow-replicas.ts'
export type { ReplicaFollower } from './replicas/follow-replicas.ts'
export { startHeartbeats } from './replicas/heartbeat.ts'
export type { Heart } from './replicas/heartbeat.ts'
export {
  createReplicaTable,
  heartbeatValue,
  liveForMs,
  parseHeartbeat,
  replicasTopic,
} from './replicas/replicas.ts'
export type {
  Heartbeat,
  KnownReplica,
  Replica,
  ReplicaTable,
  StreamDemand,
} from './replicas/replicas.ts'
export {
  addUsage,
  countKey,
  countsTopic,
  dayKey,
  dayOf,
  minuteOf,
  monthCountValue,
  monthOf,
  msOfMinute,
  noUsage,
  parseCountKey,
  parseMonthCount,
  parseUsage,
  parseUsageKey,
  usageKey,
  usagePartitionOf,
  usagePartitions,
  usageTopic,
  usageValue,
} from './replicas/usage.ts'
export type { MonthCount, Usage, UsageKey } from './replicas/usage.ts'

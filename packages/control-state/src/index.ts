export { ControlStateError } from './errors.ts'
export type { AccessErrorCode, ControlStateErrorCode } from './errors.ts'
export { openAccessTrace } from './audit/accesses.ts'
export type { AccessTrace } from './audit/accesses.ts'
export { accessesTopic, parseNotice } from './audit/notices.ts'
export type { Notice, Reading } from './audit/notices.ts'
export { createGate } from './access/access.ts'
export type { Access, Gate } from './access/access.ts'
export { bearerOf, createAccounts } from './access/api-keys.ts'
export type { Accounts } from './access/api-keys.ts'
export { act } from './audit/audit.ts'
export { auditHeadKey, hashOf, nextEntry, noEntries } from './audit/chain.ts'
export { auditTopic, parseEntry } from './audit/entry-form.ts'
export type {
  Actor,
  AuditAction,
  AuditEntry,
  AuditHead,
  Audited,
  AuditTarget,
  Change,
} from './audit/audit.ts'
export type { Draft } from './tables/draft.ts'
export {
  consentLevels,
  consentLevelType,
  hasOneLevelIfCumulative,
  oneLevelRule,
} from './records/consent-levels.ts'
export { followState } from './tables/follow.ts'
export type { StateFollower, StateFollowing } from './tables/follow.ts'
export { followReplicas } from './replicas/follow-replicas.ts'
export type { ReplicaFollower } from './replicas/follow-replicas.ts'
export { forgetPeople } from './keyring/forget-people.ts'
export type { People } from './keyring/forget-people.ts'
export { startHeartbeats } from './replicas/heartbeat.ts'
export type { Heart } from './replicas/heartbeat.ts'
export type { Keyring, Keys } from './keyring/keyring.ts'
export type { Rings } from './keyring/rings.ts'
export { withKekRules } from './kek/kek-settings.ts'
export type { KekSettings } from './kek/kek-settings.ts'
export { kekOfRing, kekWrapsFields, withWrapRules } from './kek/kek-wraps.ts'
export { loadKek } from './kek/load-kek.ts'
export {
  accessesKey,
  controlTopic,
  keyUseKey,
  deadLetterTopicOf,
  groupOf,
  keysTopic,
  topicOf,
  transactionalIdOf,
} from './records/records.ts'
export type {
  AccountRecord,
  ApiKeyRecord,
  ConsentLevelType,
  ContractRecord,
  ControlRecord,
  Credential,
  DerivedStream,
  ErasureRecord,
  InputStream,
  Limits,
  RotationRecord,
  Scope,
  SigningKeyRecord,
  StreamRecord,
} from './records/records.ts'
export { hasRole, isRole, requireRole, roles } from './access/roles.ts'
export type { Needs, Role, RouteNeeds } from './access/roles.ts'
export { noContract, requireErasure, requireInput, requireOutput } from './records/rules.ts'
export { createReplicaTable, liveForMs, replicasTopic } from './replicas/replicas.ts'
export type { Heartbeat, Replica, ReplicaTable, StreamDemand } from './replicas/replicas.ts'
export { opensLevel, outputsHolding } from './records/holding-outputs.ts'
export type { HoldingOutput } from './records/holding-outputs.ts'
export { hashSecret } from './access/secrets.ts'
export type { NewApiKey, NewCredential } from './access/secrets.ts'
export type { Contracts, Erasures, PublicKeys, State, Streams } from './tables/state.ts'
export { onStreamGone } from './tables/stream-gone.ts'
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
export { createTables } from './tables/tables.ts'
export type { KeyHolder } from './tables/indexes.ts'
export type { Tables } from './tables/tables.ts'
export { createVerificationKeys } from './access/verification-keys.ts'
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
  usageValue,
  usagePartitionOf,
  usagePartitions,
  usageTopic,
} from './replicas/usage.ts'
export type { MonthCount, Usage, UsageKey } from './replicas/usage.ts'
export { stateFields } from './tables/state-settings.ts'
export { newApiKey, newCredential } from './access/secrets.ts'
export { partOf } from './audit/audit.ts'
export {
  beatKey,
  beatTimeIn,
  beatValue,
  checkKeyRecord,
  erasureMarker,
  markerValue,
  privateReceiptKey,
  privateSigningKey,
  ringKey,
  versionOfRingKey,
} from './keyring/key-records.ts'
export type { KeyDraft, KeyStore } from './keyring/key-store.ts'
export { createKeys } from './keyring/keyring.ts'
export { controlValue, parseControlRecord } from './records/control-forms.ts'
export { eraPrefix, openEra } from './keyring/open-era.ts'
export type { StreamEra } from './keyring/open-era.ts'
export {
  TRANSACTIONAL_ID_PREFIX,
  accountKey,
  contractKey,
  erasureKey,
  receiptKeyKey,
  rotationKey,
  signingKeyKey,
  streamKey,
  subjectKey,
} from './records/records.ts'
export type { ErasureScan, ReceiptKeyRecord, UnusedKek } from './records/records.ts'
export { requireAccount, requireFreeName } from './records/rules.ts'
export { heartbeatValue } from './replicas/replicas.ts'
export { createBatch } from './tables/draft.ts'
export type { Attempt, Batch } from './tables/draft.ts'
export { changeHeader, createChangeLog } from './tables/change-log.ts'

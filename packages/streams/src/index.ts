export {
  accessesTopic,
  openAccessTrace,
  readActions,
  type AccessTrace,
  type Notice,
  type Reading,
} from './accesses.ts'
export { createGate, type Access, type Gate } from './access.ts'
export { addContract, archiveContract, claimSubject, type ContractRequest } from './add-contract.ts'
export { bearerOf, createAccounts, type Accounts, type KeyHolder } from './api-keys.ts'
export {
  act,
  auditHeadKey,
  auditTopic,
  hashOf,
  nextEntry,
  noEntries,
  type Actor,
  type AuditAction,
  type AuditEntry,
  type AuditHead,
  type Audited,
  type AuditTarget,
  type Change,
} from './audit.ts'
export type { Draft } from './draft.ts'
export { cleanUp } from './clean-up.ts'
export {
  consentLevels,
  consentLevelType,
  hasOneLevelIfCumulative,
  oneLevelRule,
} from './consent-levels.ts'
export {
  createDerived,
  createUnreadDerived,
  createInput,
  type Created,
  type DerivedRequest,
  type InputRequest,
} from './create-stream.ts'
export { deleteOutput, deleteStream } from './delete-stream.ts'
export { createErasureStates } from './erasure-states.ts'
export { keepErasAhead } from './era-parts.ts'
export { createAgreedNow, expireEras } from './expire-eras.ts'
export { changeErasing, eraseValues, putErasure, subjectOf } from './erase.ts'
export type { Asked, Erased, EraseRequest, Erasure } from './erase.ts'
export { eraseSubject, openableIn, requireSubjectContracts, subjectEras } from './erase-subject.ts'
export { followState, type StateFollower } from './follow.ts'
export { followReplicas, type ReplicaFollower } from './follow-replicas.ts'
export { forgetPeople, type People } from './forget-people.ts'
export { startHeartbeats, type Heart } from './heartbeat.ts'
export { createReadAccess, noReadAccess, type ReadAccess } from './read-access.ts'
export type { Keyring } from './keyring.ts'
export { withKekRules, type KekSettings } from './kek/kek-settings.ts'
export { kekOfRing, kekWrapsFields, withWrapRules } from './kek/kek-wraps.ts'
export { loadKek } from './kek/load-kek.ts'
export {
  addCredential,
  patchStream,
  removeCredential,
  type StreamName,
  type StreamPatch,
} from './manage.ts'
export { createAccount, createApiKey, deleteApiKey } from './manage-api-keys.ts'
export {
  accessesKey,
  controlTopic,
  keyUseKey,
  deadTopicOf,
  groupOf,
  keysTopic,
  topicOf,
  transactionalIdOf,
  type AccountRecord,
  type ApiKeyRecord,
  type ConsentLevelType,
  type ContractRecord,
  type Credential,
  type DerivedStream,
  type ErasureRecord,
  type InputStream,
  type Limits,
  type RotationRecord,
  type Scope,
  type SigningKeyRecord,
  type StreamRecord,
} from './records.ts'
export {
  hasRole,
  isRole,
  requireRole,
  roles,
  type Needs,
  type Role,
  type RouteNeeds,
} from './roles.ts'
export { noContract, requireErasure, requireInput, requireOutput } from './rules.ts'
export {
  createReplicaTable,
  liveForMs,
  replicasTopic,
  type Heartbeat,
  type Replica,
  type ReplicaTable,
  type StreamDemand,
} from './replicas.ts'
export { opensLevel, outputsHolding, type HoldingOutput } from './holding-outputs.ts'
export { keepReceiptKey, receiptFor, receiptJwks, type OutputClaim } from './receipts.ts'
export { createRings, type Rings } from './rings.ts'
export { continueRotation } from './rotation/continue-rotation.ts'
export { lookForDestroyed } from './rotation/destroyed.ts'
export { createHaveRings } from './rotation/have-rings.ts'
export { keyReport, type KeyReport } from './rotation/key-report.ts'
export { startRotation } from './rotation/start-rotation.ts'
export { hashSecret, type NewApiKey, type NewCredential } from './secrets.ts'
export {
  createSigner,
  keepSigningKeys,
  publishedKeys,
  rotateSigningKeys,
  type Signer,
} from './signing-keys.ts'
export type { State } from './state.ts'
export type { Stewardship } from './stewardship.ts'
export { onStreamGone } from './stream-gone.ts'
export {
  linkIn,
  subjectKeyOf,
  subjectPartitionOf,
  subjectPrefix,
  subjectsPartitions,
  subjectsRetentionMs,
  subjectsTopic,
} from './subjects.ts'
export { createTables, type Tables } from './tables.ts'
export { allPins, pinTopics, streamPins } from './topic-pins.ts'
export type { Pins, SetOtherwise } from './topic-pins.ts'
export { createWriter, writerTransactor, type Writer, type WriterOptions } from './writer.ts'
export { createVerificationKeys } from './verification-keys.ts'
export {
  addUsage,
  countKey,
  countsTopic,
  dayKey,
  dayOf,
  jsonValue,
  minuteOf,
  monthCountOf,
  monthOf,
  msOfMinute,
  noUsage,
  parseCountKey,
  parseUsageKey,
  usageKey,
  usageOf,
  usagePartitionOf,
  usagePartitions,
  usageTopic,
  type MonthCount,
  type Usage,
  type UsageKey,
} from './usage.ts'
export { stateFields } from './state-settings.ts'

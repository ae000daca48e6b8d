export { connectionFields, countedAddress, createProxies } from './limits/addresses.ts'
export type { Proxies } from './limits/addresses.ts'
export { createAllowance } from './limits/allowance.ts'
export type { Allowance } from './limits/allowance.ts'
export { startAdmin } from './http/admin.ts'
export type { AdminPort, AdminPortOptions } from './http/admin.ts'
export { listConfigKeys, loadConfig } from './config/config.ts'
export type { ConfigKey, Env } from './config/config.ts'
export {
  bool,
  certificateFile,
  csv,
  file,
  host,
  hostPorts,
  integer,
  keyRule,
  milliseconds,
  oneOf,
  port,
  privateKeyFile,
  secretFile,
  secretFileToMake,
  secretLines,
  secretText,
  text,
  url,
  withUnit,
} from './config/config-fields.ts'
export { corsFields, createCors } from './http/cors.ts'
export type { Cors } from './http/cors.ts'
export { describeError } from './logs/describe-error.ts'
export type { ErrorDescription } from './logs/describe-error.ts'
export { createPageOf, docsFields, helpLink } from './config/docs-links.ts'
export type { PageOf } from './config/docs-links.ts'
export { AppError, hasCode, ownSentence, publicFormOf } from './errors.ts'
export type { KitErrorCode, PublicForm, PublicForms } from './errors.ts'
export { createFairQueue } from './fair-queue.ts'
export type { FairQueue } from './fair-queue.ts'
export { createTurns } from './turns.ts'
export type { Turns } from './turns.ts'
export { fairShare } from './limits/fair-share.ts'
export { createFailureLimit } from './limits/failure-limit.ts'
export type { FailureLimit } from './limits/failure-limit.ts'
export { createFaultLog } from './logs/fault-log.ts'
export type { Fault } from './logs/fault-log.ts'
export { createGuesses, tooManyGuesses } from './limits/guesses.ts'
export type { Guesses } from './limits/guesses.ts'
export { createOthers } from './others.ts'
export type { Others } from './others.ts'
export { countJsonMembers, jsonDepthMax, listItemsMax, longListIn } from './http/json-scan.ts'
export { onShutdown } from './lifecycle.ts'
export type { Lifecycle, ShutdownStep } from './lifecycle.ts'
export { followTls } from './http/follow-tls.ts'
export type { FollowedTls, TlsPair } from './http/follow-tls.ts'
export { areAPair, listenerTlsFields, withListenerTlsRules } from './config/listener-tls.ts'
export { createLog, logFields } from './logs/log.ts'
export type { Log } from './logs/log.ts'
export { createMetrics } from './logs/metrics.ts'
export { requestIdHeader, requestIdOf } from './logs/request-id.ts'
export { nameRequests, tellFaults } from './logs/request-log.ts'
export type { RefusedRequest } from './logs/request-log.ts'
export { readSettingFile, readSettingFileNow } from './config/setting-files.ts'
export { configText, startConfig } from './config/start-config.ts'
export { formatTraceparent, parseTraceparent } from './logs/traceparent.ts'
export type { TraceParent } from './logs/traceparent.ts'
export {
  backoff,
  delay,
  oneAtATime,
  oncePerTurn,
  pollUntil,
  takingTurns,
  withTimeout,
} from './time.ts'
export type { BackoffOptions, InTurn, PollOptions } from './time.ts'
export { fileReader, optionalFile, secretReader } from './config/setting-readers.ts'
export { codeIn, hintFor } from './http/connect-hints.ts'
export { httpCall } from './http/http-call.ts'
export type { HttpAnswer, HttpCall } from './http/http-call.ts'

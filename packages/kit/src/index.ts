export { connectionFields, countedAddress, createProxies, type Proxies } from './addresses.ts'
export { createAllowance, type Allowance } from './allowance.ts'
export { startAdmin, type Admin, type AdminOptions } from './admin.ts'
export { listConfigKeys, loadConfig, type ConfigKey, type Env } from './config.ts'
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
} from './config-fields.ts'
export { corsFields, createCors } from './cors.ts'
export { describeError, type ErrorDescription } from './describe-error.ts'
export { createPageOf, docsFields, helpLink, type PageOf } from './docs-links.ts'
export { AppError, hasCode } from './errors.ts'
export { createFailureLimit, type FailureLimit } from './failure-limit.ts'
export { createFaultLog, type Fault } from './fault-log.ts'
export { createGuesses, tooManyGuesses, type Guesses } from './guesses.ts'
export { countJsonMembers, jsonDepthMax, listItemsMax, longListIn } from './json-scan.ts'
export { onShutdown, type Lifecycle, type ShutdownStep } from './lifecycle.ts'
export { followTls, type FollowedTls, type TlsPair } from './follow-tls.ts'
export { areAPair, listenerTlsFields, withListenerTlsRules } from './listener-tls.ts'
export { createLog, logFields, type Log } from './log.ts'
export { createMetrics } from './metrics.ts'
export { requestIdHeader, requestIdOf } from './request-id.ts'
export { nameRequests, tellFaults, type Refused } from './request-log.ts'
export { readSettingFile, readSettingFileNow } from './setting-files.ts'
export { configText, startConfig } from './start-config.ts'
export { formatTraceparent, parseTraceparent, type TraceParent } from './traceparent.ts'
export { backoff, delay, oncePerTurn, pollUntil, withTimeout } from './time.ts'
export type { BackoffOptions, PollOptions } from './time.ts'

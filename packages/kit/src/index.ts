export { startAdmin, type Admin, type AdminOptions } from './admin.ts'
export { listConfigKeys, loadConfig, type ConfigKey } from './config.ts'
export {
  bool,
  csv,
  integer,
  keyRule,
  milliseconds,
  optionalFilePath,
  port,
  url,
} from './config-fields.ts'
export { describeError, type ErrorDescription } from './describe-error.ts'
export { AppError, hasCode } from './errors.ts'
export { onShutdown, type Lifecycle, type ShutdownStep } from './lifecycle.ts'
export { createLog, type Log } from './log.ts'
export { createMetrics } from './metrics.ts'
export { readSettingFile, readTls, tlsRule } from './setting-files.ts'
export { backoff, delay, oncePerTurn, pollUntil, withTimeout } from './time.ts'
export type { BackoffOptions, PollOptions } from './time.ts'

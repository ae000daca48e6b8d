// kafkajs's log lines, made quiet: what it calls an error mostly is a retry that this package handles and
// reports in its own words. Only named fields pass, so that no record can get into a log by way of them.
import { logLevel } from 'kafkajs'
import type { LogEntry, Logger } from 'kafkajs'
import { createLogger } from 'kafkajs/src/loggers/index.js'

import type { Log } from '@weir/kit'

const FIELDS_SHOWN = ['broker', 'groupId', 'topic', 'partition', 'retryCount', 'transactionalId']

export type LogSettings = {
  readonly logLevel: logLevel
  readonly logCreator: () => (entry: LogEntry) => void
}

export function logSettings(log: Log): LogSettings {
  return {
    logLevel: log.isLevelEnabled('debug') ? logLevel.INFO : logLevel.NOTHING,
    logCreator: () => (entry) => forward(log, entry),
  }
}

export function bridgeLog(log: Log): Logger {
  const settings = logSettings(log)
  return createLogger({ level: settings.logLevel, logCreator: settings.logCreator })
}

function forward(log: Log, entry: LogEntry): void {
  const fields: Record<string, unknown> = { kafkajs: entry.namespace }
  for (const name of FIELDS_SHOWN) {
    if (entry.log[name] !== undefined) fields[name] = entry.log[name]
  }
  log.debug(fields, entry.log.message)
}

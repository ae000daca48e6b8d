// auth's controller of the audit log. It reads the log, logs refusals, and moves notices of access into the log. The
// writer of control state adds the other entries.
import { createRangeReader } from '@weir/kafka'
import type { Kafka, LogOffsets } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { StateFollower } from '@weir/control-state'
import type { Writer } from '../writer.ts'
import type { Reconciler } from '../reconcile-loop.ts'
import { createAuditLog } from './audit-log.ts'
import type { AuditLog } from './audit-log.ts'
import { createFold } from './fold-accesses.ts'
import type { Folder } from './fold-accesses.ts'
import { createRefusals } from './refusals.ts'
import type { Refusals } from './refusals.ts'

export type AuditController = {
  readonly log: AuditLog
  readonly refusals: Refusals
  /** Moves pending notices of access into the log. Call before reading the log. */
  readonly fold: Folder['fold']
  readonly warnings: Folder['warnings']
  readonly reconcilers: readonly Reconciler[]
  close(): Promise<void>
}

const tellCountsEveryMs = 10 * 60_000
/** Random intervals, because replicas that fold at the same time would fence each other. */
const foldEveryMs = (): number => 2_000 + Math.random() * 3_000

export function createAuditController(options: {
  kafka: Kafka
  offsets: LogOffsets
  follower: StateFollower
  writer: Writer
  log: Log
}): AuditController {
  const { kafka, offsets, follower, writer, log } = options
  const reader = createRangeReader(kafka)
  const refusals = createRefusals({ writer, log, now: Date.now })
  const tellCounts = async (): Promise<number> => {
    await refusals.tellCounts()
    return tellCountsEveryMs
  }
  const { fold, warnings } = createFold({ offsets, reader, follower, writer, log })
  const foldAll = async (): Promise<number> => {
    await fold()
    return foldEveryMs()
  }
  return {
    fold,
    warnings,
    log: createAuditLog({ offsets, reader, follower }),
    refusals,
    reconcilers: [
      { name: 'audit', run: tellCounts },
      { name: 'accesses', run: foldAll },
    ],
    close: () => reader.close(),
  }
}

// Computes how long a topic keeps a record, from the settings that Kafka reports. If the settings don't determine the
// time, returns the reason.

import type { ConfigEntries } from '@weir/kafka'

export type KeptFor =
  | { readonly ms: number }
  /** The reason: a clause to follow the name of the topic. */
  | { readonly unknown: string }

/** Three thousand years, which counts as forever. */
const endlessMs = 1e14

/**
 * Kafka deletes a record with its segment. The segment's last record may be up to segment.ms younger. When that record
 * is older than retention.ms, the next check removes the segment. Its files are deleted later.
 */
export function keptFor(topic: ConfigEntries, broker: ConfigEntries): KeptFor {
  if (!(topic['cleanup.policy'] ?? '').includes('delete'))
    return { unknown: 'is compacted, so nothing is deleted by age (cleanup.policy)' }
  if (topic['remote.storage.enable'] === 'true')
    return { unknown: 'is in tiered storage (remote.storage.enable)' }
  const retentionMs = Number(topic['retention.ms'])
  if (retentionMs < 0 || retentionMs > endlessMs)
    return {
      unknown:
        Number(topic['retention.bytes'] ?? -1) < 0
          ? 'keeps its records for ever (retention.ms)'
          : 'is limited only by size (retention.ms)',
    }
  const times = [
    topic['retention.ms'],
    topic['segment.ms'],
    broker['log.retention.check.interval.ms'],
    topic['file.delete.delay.ms'],
  ].map(Number)
  const ms = times.reduce((sum, each) => sum + each, 0)
  return Number.isSafeInteger(ms) ? { ms } : { unknown: 'has settings that Kafka does not report' }
}

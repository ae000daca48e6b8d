// Sets quotas of a broker, as operators do with kafka-configs.sh.
import { Admin } from '@platformatic/kafka'

/** Sets the default quota of all clients. Undefined removes this quota. */
export async function setProduceQuota(
  brokers: string,
  bytesPerSecond: number | undefined,
): Promise<void> {
  const admin = new Admin({ clientId: 'operator', bootstrapBrokers: brokers.split(',') })
  try {
    const key = 'producer_byte_rate' as const
    const op =
      bytesPerSecond === undefined
        ? { key, remove: true as const }
        : { key, value: bytesPerSecond, remove: false as const }
    const entities = [{ entityType: 'client-id' as const, entityName: null }]
    await admin.alterClientQuotas({ entries: [{ entities, ops: [op] }] })
  } finally {
    await admin.close()
  }
}

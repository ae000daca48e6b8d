// An event as a WebSocket client sees it: plain JSON, unions flattened (docs/wire-format.md WebSocket). Fields stay
// encrypted or decrypted as in the topic.
import { unframe } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import type { KnownContract } from '../derive/known-contracts.ts'
import { DeriveError } from '../derive/errors.ts'

/**
 * The message for a record. Undefined if its contract isn't known, which may change.
 * @throws AppError for a record that ingest did not write
 */
export type Render = (record: SourceRecord) => Buffer | undefined

export function createRender(contract: (id: string) => KnownContract | undefined): Render {
  return (record) => {
    const schemaId = record.headers['svc-schema-id']?.toString('utf8')
    if (schemaId === undefined || record.value === null)
      throw new DeriveError('derive.corrupt', 'the record lacks what every event has')
    const known = contract(schemaId)
    if (known === undefined) return undefined
    const { schemaId: registryId, payload } = unframe(record.value)
    if (registryId !== known.registryId)
      throw new DeriveError(
        'derive.corrupt',
        'the record is framed with the schema of another contract',
      )
    return Buffer.from(JSON.stringify(known.contract.toPlain(known.contract.decode(payload))))
  }
}

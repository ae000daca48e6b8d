// Renders an event for WebSocket clients: as plain JSON with flattened unions (docs/wire-format.md WebSocket). Fields
// stay encrypted or decrypted as in the topic. Only fields of an output whose readers decrypt are decrypted here.
import { eventTimeOf } from '@weir/contracts'
import { unframe } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import type { Derive } from '../derive/derive.ts'
import type { KnownContract } from '../derive/known-contracts.ts'
import { DeriveError } from '../derive/errors.ts'

/**
 * Returns the message for a record, or null for an event that the stream would not get any more.
 * @throws DeriveError `derive.unknown_contract` or `derive.not_known_yet`; a later attempt may succeed
 * @throws AppError for a record that ingest did not write
 */
export type Render = (record: SourceRecord) => Buffer | null

export const createRender =
  (contract: (id: string) => KnownContract | undefined): Render =>
  ({ headers, value }) => {
    const schemaId = headers['svc-schema-id']?.toString('utf8')
    if (schemaId === undefined || value === null)
      throw new DeriveError('derive.corrupt', 'the record lacks what every event has')
    const known = contract(schemaId)
    if (known === undefined)
      throw new DeriveError('derive.unknown_contract', 'the contract is not known')
    const { schemaId: registryId, payload } = unframe(value)
    if (registryId !== known.registryId)
      throw new DeriveError(
        'derive.corrupt',
        'the record is framed with the schema of another contract',
      )
    return Buffer.from(JSON.stringify(known.contract.toPlain(known.contract.decode(payload))))
  }

/**
 * Decrypts records with `derive`, which expects input records. An output whose readers decrypt contains records of the
 * same form.
 */
export const createDecryptingRender =
  (derive: Derive, render: Render): Render =>
  (record) => {
    const decrypted = derive({ ...record, timestampMs: eventTimeOf(record) })
    if (!Buffer.isBuffer(decrypted?.value)) return null
    return render({ ...record, value: decrypted.value })
  }

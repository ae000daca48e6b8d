// The events in a topic, split for comparison: personal fields by path, all other fields, and the data around the
// event.
import type { Contract, Event } from '@weir/contracts'
import { unframe } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import { asObject, compiledExample, exampleContracts } from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'
import { readOrigin } from '../../src/records/headers.ts'
import { contractOfSchemaId, numberOf } from './many-events.ts'
import type { SentEvent } from './many-events.ts'

const contracts = new Map<ExampleContract, Contract>()
for (const name of Object.values(exampleContracts)) contracts.set(name, await compiledExample(name))

export function contractNamed(name: ExampleContract): Contract {
  const contract = contracts.get(name)
  if (contract === undefined) throw new Error('no such contract')
  return contract
}

export type Fields = {
  /** Texts that aren't null, by path. */
  pii: Record<string, string>
  meta: Record<string, unknown>
  /** All fields except the envelope, with personal texts blanked unless they are null. */
  rest: Record<string, unknown>
}

export type Stored = Fields & {
  contract: ExampleContract
  number: number
  record: SourceRecord
  key: string
  /** `partition/offset` in its own topic. */
  place: string
  /** The location of the input record that the event was derived from. */
  source: string | undefined
}

export const fieldsSent = ({ contract, body }: SentEvent): Fields =>
  fieldsOf(contractNamed(contract), contractNamed(contract).readJson(toBytes(body)))

export function stored(record: SourceRecord): Stored {
  const contract = contractOfSchemaId(record.headers['svc-schema-id']?.toString() ?? '')
  const { payload } = unframe(record.value ?? Buffer.alloc(0))
  const fields = fieldsOf(contractNamed(contract), contractNamed(contract).decode(payload))
  const source = readOrigin(record)
  return {
    ...fields,
    contract,
    number: numberOf(contract, fields.rest),
    record,
    key: record.key?.toString() ?? '',
    place: `${record.partition}/${record.offset}`,
    source: source && `${source.partition}/${source.offset}`,
  }
}

export function levelsByPath({ contract, body }: SentEvent): Record<string, number> {
  const levels: Record<string, number> = {}
  const { readJson, mapPii } = contractNamed(contract)
  mapPii(readJson(toBytes(body)), (text, path, level) => {
    levels[path] = level
    return text
  })
  return levels
}

function fieldsOf(contract: Contract, event: Event): Fields {
  const pii: Record<string, string> = {}
  contract.mapPii(event, (text, path) => {
    pii[path] = text
    return ''
  })
  const { svcMeta, ...rest } = asObject(contract.toPlain(event))
  return { pii, meta: asObject(svcMeta), rest }
}

const toBytes = (body: object): Buffer => Buffer.from(JSON.stringify(body))

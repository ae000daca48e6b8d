// The schema of an event without its contract, for readers of stored events, such as an export. `contract.ts` creates
// and checks events.
import { Unreadable } from '../unreadable.ts'
import { compilePlain } from './plain.ts'
import { compileAvroReader } from './read-avro.ts'
import { parseSchema } from './schema.ts'
import type { AvroType, RecordType } from './types.ts'
import { isFields } from './values.ts'
import type { Fields } from './values.ts'

export type EventSchema = {
  readonly root: RecordType
  /** Throws for anything that isn't one event of the schema. */
  readonly decode: (payload: Buffer) => Fields
}

/** Undefined if the text is not the schema of a record. */
export function readEventSchema(schemaText: string): EventSchema | undefined {
  const parsed = parseSchema(schemaText)
  if (!('type' in parsed) || parsed.type.kind !== 'record') return undefined
  const read = compileAvroReader(parsed.type)
  return {
    root: parsed.type,
    decode(payload) {
      const event = read(payload)
      if (isFields(event)) return event
      throw new Unreadable('is not an event')
    },
  }
}

/** Converts a value of the type to JSON for people, as `Contract.toPlain` does. */
export const plainOf = (type: AvroType): ((value: unknown) => unknown) => compilePlain(type)

// The schemas of a topic's values, from auth's /registry, each requested once.
import type { TopicRecord } from '@weir/client'
import { readEventSchema } from '@weir/contracts'
import type { EventSchema } from '@weir/contracts'
import { basic, createRegistry, unframe } from '@weir/schema-registry'
import { hasCode } from '@weir/kit'
import { failure } from '../errors.ts'
import type { RegistryLogin } from '../api/registry.ts'

export type Schemas = {
  /** The schema id in a value. The same id means the same schema. */
  idOf(record: TopicRecord): number
  schemaOf(id: number): Promise<EventSchema>
}

export function createSchemas({ url, credentials }: RegistryLogin): Schemas {
  const { clientId, clientSecret } = credentials
  const registry = createRegistry(url, { authorization: () => basic(clientId, clientSecret) })
  const known = new Map<number, Promise<EventSchema>>()
  const load = async (id: number): Promise<EventSchema> => {
    const { schemaText } = await registry.byId(id).catch((error: unknown) => {
      throw explained(error, url)
    })
    const schema = readEventSchema(schemaText)
    if (schema === undefined)
      throw failure(`the registry's schema ${id} is not the schema of an event`)
    return schema
  }
  return {
    idOf(record) {
      if (record.value === null) throw unreadableSchema(record)
      return unframe(record.value).schemaId
    },
    schemaOf(id) {
      const schema = known.get(id) ?? load(id)
      known.set(id, schema)
      return schema
    },
  }
}

export const payloadOf = ({ value }: TopicRecord): Buffer =>
  unframe(value ?? Buffer.alloc(0)).payload

export const unreadableSchema = ({ partition, offset }: TopicRecord): Error =>
  failure(`the record at ${partition}/${offset} does not match its schema`)

function explained(error: unknown, url: string): unknown {
  if (!hasCode(error, 'registry.unavailable', 'registry.not_found')) return error
  const { host } = new URL(url)
  return failure(
    `${error.message} (${host})`,
    'The schemas come from auth. Is WEIR_AUTH_URL its address? `weir doctor` checks it.',
  )
}

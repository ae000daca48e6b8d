// Gets the schemas of a topic's values from auth's /registry, each schema once.
import type { TopicRecord } from '@weir/client'
import { requestApi, urlOf } from '../api/request.ts'
import type { ApiAnswer } from '../api/request.ts'
import type { RegistryLogin } from '../api/registry.ts'
import { failure } from '../errors.ts'
import { textAt } from '../json.ts'
import { readEventSchema } from './avro.ts'
import type { EventSchema } from './avro.ts'

export type Schemas = {
  /** Returns the schema id in a value. The same id means the same schema. */
  idOf(record: TopicRecord): number
  schemaOf(id: number): Promise<EventSchema>
}

export function createSchemas(login: RegistryLogin): Schemas {
  const known = new Map<number, Promise<EventSchema>>()
  const load = async (id: number): Promise<EventSchema> => {
    const schema = readEventSchema(await fetchSchema(login, id))
    if (schema === undefined)
      throw failure(`the registry's schema ${id} is not the schema of an event`)
    return schema
  }
  return {
    idOf(record) {
      if (record.value === null) throw unreadableSchema(record)
      if (record.value.length < headBytes || record.value[0] !== 0)
        throw failure('the value does not start with a schema id')
      return record.value.readUInt32BE(1)
    },
    schemaOf(id) {
      const schema = known.get(id) ?? load(id)
      known.set(id, schema)
      return schema
    },
  }
}

/** A zero, and the schema id in four bytes (docs/wire-format.md). */
const headBytes = 5

export const payloadOf = ({ value }: TopicRecord): Buffer =>
  value?.subarray(headBytes) ?? Buffer.alloc(0)

export const unreadableSchema = ({ partition, offset }: TopicRecord): Error =>
  failure(`the record at ${partition}/${offset} does not match its schema`)

async function fetchSchema({ url, credentials }: RegistryLogin, id: number): Promise<string> {
  const { clientId, clientSecret } = credentials
  const login = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const what = {
    method: 'GET',
    url: urlOf(url, ['schemas', 'ids', String(id)]),
    headers: { authorization: `Basic ${login}` },
  }
  // Asks a second time after a failure, because an export may take hours.
  const answer = (await answerTo(what)) ?? (await answerTo(what))
  const schemaText = answer?.status === 200 ? textAt(answer.json, 'schema') : undefined
  if (schemaText !== undefined) return schemaText
  throw failure(
    `the schema registry ${toldBy(answer, id)} (${what.url.host})`,
    'The schemas come from auth. Is WEIR_AUTH_URL its address? `weir doctor` checks it.',
  )
}

/** Returns undefined if a second attempt may succeed. */
async function answerTo(what: Parameters<typeof requestApi>[0]): Promise<ApiAnswer | undefined> {
  const answer = await requestApi(what).catch(() => undefined)
  if (answer === undefined || answer.status >= 500) return undefined
  return answer.json === undefined && !isRefused(answer) ? undefined : answer
}

const isRefused = ({ status }: ApiAnswer): boolean => status === 401 || status === 403

function toldBy(answer: ApiAnswer | undefined, id: number): string {
  if (answer === undefined) return 'does not answer'
  if (answer.status === 404) return `has no schema ${id}`
  return answer.status === 200 ? 'answered without a schema' : `answered ${answer.status}`
}

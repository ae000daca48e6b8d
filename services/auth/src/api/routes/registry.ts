// /registry: the read requests of the Confluent API, for the schemas of the caller's account. Avro deserializers use
// them with a stream's credentials. Responses come from control state, never from the schema registry.
import { hasCode } from '@weir/kit'
import { invalid } from '@weir/http-api'
import type { ContractRecord } from '@weir/control-state'
import type { RouteAnswer, Call, RouteHandler } from '@weir/http-api'
import type { Readers } from '../../registry/readers.ts'
import {
  noSchema,
  noSubject,
  noSuchVersionNumber,
  noVersion,
  registryContentType,
} from '../../registry/refusals.ts'
import { schemasOf, subjectsIn } from '../../registry/schemas.ts'
import type { SchemaVersion } from '../../registry/schemas.ts'

export type RegistryDoor = {
  readonly readers: Readers
  readonly contractsOf: (billingId: string) => readonly ContractRecord[]
  /** Reads control state to its end. */
  readonly refresh: () => Promise<void>
}

type Schemas = readonly SchemaVersion[]

/**
 * Creates a handler that responds about the caller's schemas. If a schema is missing, it refreshes control state once,
 * because another replica may have just created the schema.
 */
const showing =
  (say: (schemas: Schemas, call: Call) => unknown) =>
  ({ readers, contractsOf, refresh }: RegistryDoor): RouteHandler =>
  async (call) => {
    const billingId = await readers(call)
    const look = () => answerOf(say(schemasOf(contractsOf(billingId)), call))
    try {
      return look()
    } catch (error) {
      if (!hasCode(error, 'not_found')) throw error
      await refresh()
      return look()
    }
  }

const answerOf = (body: unknown): RouteAnswer => ({
  status: 200,
  headers: { 'content-type': registryContentType },
  body,
})

// --- by id ---

export const showSchema = showing((schemas, call) => {
  const { schema } = firstOf(withId(schemas, call))
  const maxId = Math.max(...schemas.map(({ id }) => id))
  return { schema, ...(call.query('fetchMaxId') === 'true' ? { maxId } : {}) }
})

export const showSchemaText = showing((schemas, call) => firstOf(withId(schemas, call)).schema)

export const listSubjectsOfSchema = showing((schemas, call) => subjectsIn(withId(schemas, call)))

export const listVersionsOfSchema = showing((schemas, call) =>
  withId(schemas, call).map(({ subject, version }) => ({ subject, version })),
)

export const listTypes = showing(() => ['AVRO'])

// --- by subject ---

export const listSubjects = showing((schemas, call) => {
  const prefix = call.query('subjectPrefix') ?? ''
  // The API's default prefix `:*:` means the subjects of every context. Here there is only one context.
  const isWanted = (subject: string) => prefix === ':*:' || subject.startsWith(prefix)
  return pageOf(subjectsIn(schemas).filter(isWanted), call)
})

export const listVersions = showing((schemas, call) =>
  pageOf(
    withSubject(schemas, call).map(({ version }) => version),
    call,
  ),
)

export const showVersion = showing((schemas, call) => oneVersion(schemas, call))

export const showVersionText = showing((schemas, call) => oneVersion(schemas, call).schema)

// --- settings: read-only, because Weir requires no compatibility between versions ---

const compatibility = { compatibilityLevel: 'NONE' }
const readOnly = { mode: 'READONLY' }

export const showConfig = showing(() => compatibility)
export const showConfigOfSubject = showing((schemas, call) =>
  ofSubject(schemas, call, compatibility),
)
export const showMode = showing(() => readOnly)
export const showModeOfSubject = showing((schemas, call) => ofSubject(schemas, call, readOnly))

function ofSubject<Setting>(schemas: Schemas, call: Call, setting: Setting): Setting {
  if (call.query('defaultToGlobal') !== 'true') withSubject(schemas, call)
  return setting
}

// --- look-ups ---

function withId(schemas: Schemas, call: Call): Schemas {
  const id = call.param('schemaId')
  const found = schemas.filter((each) => String(each.id) === id)
  if (found.length === 0) throw noSchema(id)
  return found
}

function withSubject(schemas: Schemas, call: Call): Schemas {
  const subject = call.param('subject')
  const found = schemas.filter((each) => each.subject === subject)
  if (found.length === 0) throw noSubject(subject)
  return found
}

const versionMax = 2_147_483_647

function oneVersion(schemas: Schemas, call: Call): SchemaVersion {
  const version = call.param('version')
  const isLatest = version === 'latest' || version === '-1'
  const number = /^[1-9]\d{0,9}$/.test(version) ? Number(version) : Infinity
  if (!isLatest && number > versionMax) throw noSuchVersionNumber(version)
  const versions = withSubject(schemas, call)
  const found = isLatest ? versions.at(-1) : versions.find((each) => each.version === number)
  if (found === undefined) throw noVersion(version)
  return found
}

function firstOf([first]: Schemas): SchemaVersion {
  if (first === undefined) throw noSchema('')
  return first
}

function pageOf<Item>(items: readonly Item[], call: Call): readonly Item[] {
  const from = Number(numberIn(call, 'offset', /^\d{1,9}$/) ?? 0)
  const most = Number(numberIn(call, 'limit', /^(-1|\d{1,9})$/) ?? -1)
  return items.slice(from, most < 0 ? undefined : from + most)
}

/** In the Confluent API a limit of −1 means «all». */
function numberIn(call: Call, name: string, form: RegExp): string | undefined {
  const text = call.query(name)
  if (text === undefined || form.test(text)) return text
  throw invalid([`${name} must be a whole number`])
}

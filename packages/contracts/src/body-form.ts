// The form of a request body, from two headers and its first byte, without decoding. The first source that says
// something decides.

export type BodyForm = 'json' | 'avro'

export type BodyFormSources = {
  /** The first of `Svc-Serialization-Type` and its aliases that the request has. */
  readonly serializationType?: string | undefined
  readonly contentType?: string | undefined
  readonly firstByte: number | undefined
}

const bySerializationType: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'application/x-avro-binary': 'avro',
}
const byContentType: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'avro/binary': 'avro',
}
const openingBrace = 0x7b

export function bodyForm(sources: BodyFormSources): BodyForm {
  const { serializationType, contentType, firstByte } = sources
  return (
    lookUp(bySerializationType, serializationType) ??
    lookUp(byContentType, contentType) ??
    (firstByte === openingBrace ? 'json' : 'avro')
  )
}

/** Media types are compared without case; parameters such as a charset don't matter. */
function lookUp(table: Readonly<Record<string, BodyForm>>, value = ''): BodyForm | undefined {
  if (value === '') return undefined
  if (Object.hasOwn(table, value)) return table[value] // the usual spelling
  const [type = ''] = value.split(';', 1)
  const key = type.trim().toLowerCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}

// Finds the form of a request body in two headers and the first byte, without decoding. The first of these that
// determines a form decides.

export type BodyForm = 'json' | 'avro'

export type FormHeaders = {
  /** The first of `Svc-Serialization-Type` and its aliases that is in the request. */
  readonly serializationType?: string | undefined
  readonly contentType?: string | undefined
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

/** Undefined if the headers leave it to the first byte. */
export const namedForm = (headers: FormHeaders): BodyForm | undefined =>
  lookUp(bySerializationType, headers.serializationType) ??
  lookUp(byContentType, headers.contentType)

export const guessedForm = (firstByte: number | undefined): BodyForm =>
  firstByte === openingBrace ? 'json' : 'avro'

/** Compares media types without case, and ignores parameters such as a charset. */
function lookUp(table: Readonly<Record<string, BodyForm>>, value = ''): BodyForm | undefined {
  if (value === '') return undefined
  // saves the lower-casing for the usual spelling
  if (Object.hasOwn(table, value)) return table[value]
  const [type = ''] = value.split(';', 1)
  const key = type.trim().toLowerCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}

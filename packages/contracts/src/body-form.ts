// Finds out whether a request body is JSON or Avro, without decoding it: from two headers or, if they do not say it,
// from the first byte.

export type BodyForm = 'json' | 'avro'

export type FormHeaders = {
  /** The value of `Svc-Serialization-Type`, or of its first alias in the request. */
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

/** Returns undefined if the headers name no form. */
export const namedForm = (headers: FormHeaders): BodyForm | undefined =>
  lookUp(bySerializationType, headers.serializationType) ??
  lookUp(byContentType, headers.contentType)

export const guessedForm = (firstByte: number | undefined): BodyForm =>
  firstByte === openingBrace ? 'json' : 'avro'

/** Compares media types without case, and ignores parameters such as a charset. */
function lookUp(table: Readonly<Record<string, BodyForm>>, value = ''): BodyForm | undefined {
  if (value === '') return undefined
  // the usual spelling needs no conversion to lower case
  if (Object.hasOwn(table, value)) return table[value]
  const [type = ''] = value.split(';', 1)
  const key = type.trim().toLowerCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}

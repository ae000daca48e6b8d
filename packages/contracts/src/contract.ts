// Compiles a prepared contract into the functions that the services run for each event. These functions parse no
// schemas or paths, do no I/O, and read no clock. `mapPii` only finds personal texts; its caller en- or decrypts them.
import { parseJsonText } from './avro/json-text.ts'
import { compilePlain } from './avro/plain.ts'
import { compileAvroReader } from './avro/read-avro.ts'
import { compileJsonReader } from './avro/read-json.ts'
import { parseSchema } from './avro/schema.ts'
import { compileAvroSkimmer } from './avro/skim-avro.ts'
import type { RecordType } from './avro/types.ts'
import { isFields } from './avro/values.ts'
import { compileAvroWriter } from './avro/write-avro.ts'
import { compileStamp, envelopeName, stampedPaths, unstamped } from './envelope.ts'
import { holderOf, placeOf, textAtPath } from './paths.ts'
import type { Contract, Event, PreparedContract } from './types.ts'
import { toUndecodable, Unreadable } from './unreadable.ts'
import { compileValidations } from './validations.ts'

export function compileContract(prepared: PreparedContract): Contract {
  const root = rootOf(prepared)
  const { id, keyField, piiFields, dataSubjectField } = prepared
  const keyPlace = placeOf(keyField)
  const subjectPlace = dataSubjectField === undefined ? undefined : placeOf(dataSubjectField)
  const readAvro = compileAvroReader(root)
  const skimAvro = compileAvroSkimmer(root, lookedAt(prepared))
  const skimStored = compileAvroSkimmer(root, [...stampedPaths, ...Object.keys(piiFields)])
  const validator = compileValidations(id, root, prepared.validations)
  return {
    id,
    keyField,
    levels: [...new Set(Object.values(piiFields))].toSorted((a, b) => a - b),
    readJson: compileReadJson(unstamped(root)),
    skimAvro: (body) => readWith(() => skimAvro(body)),
    keyOf: (event) => textAtPath(event, keyPlace) || undefined,
    dataSubjectOf: (event) => (subjectPlace && textAtPath(event, subjectPlace)) || undefined,
    firstViolation: validator.firstViolation,
    validationSteps: validator.steps,
    personalValues: compileCountPii(piiFields),
    stamp: compileStamp(root),
    mapPii: compileMapPii(piiFields),
    encode: compileAvroWriter(root),
    decode: (payload) => readWith(() => readAvro(payload)),
    decodePersonal: (payload) => readWith(() => skimStored(payload)),
    toPlain: compilePlain(root),
  }
}

/** Returns the fields that the functions of a contract read or change. */
const lookedAt = (prepared: PreparedContract): string[] => [
  envelopeName,
  prepared.keyField,
  ...(prepared.dataSubjectField === undefined ? [] : [prepared.dataSubjectField]),
  ...Object.keys(prepared.piiFields),
  ...prepared.validations.map(({ field }) => field),
]

function rootOf(prepared: PreparedContract): RecordType {
  const result = parseSchema(prepared.schemaText)
  if (!('type' in result) || result.type.kind !== 'record') {
    throw new Error(`${prepared.id}: the schema of a prepared contract is no record`)
  }
  return result.type
}

function readWith(read: () => unknown): Event {
  try {
    const event = read()
    if (isFields(event)) return event
    throw new Unreadable('is not an event')
  } catch (error) {
    throw toUndecodable(error)
  }
}

function compileReadJson(root: RecordType): (body: Buffer) => Event {
  const read = compileJsonReader(root)
  return (body) =>
    readWith(() => {
      const { json, members } = parseJsonText(body)
      const { value, members: seen } = read(json)
      if (seen !== members) throw new Unreadable('names a field twice')
      return value
    })
}

function compileCountPii(piiFields: Readonly<Record<string, number>>): (event: Event) => number {
  const places = Object.keys(piiFields).map(placeOf)
  return (event) => {
    let count = 0
    for (const place of places) {
      const value = holderOf(event, place)?.[place.name]
      if (typeof value === 'string') count += 1
      else if (Array.isArray(value)) count += value.length
    }
    return count
  }
}

type Replace = (text: string, path: string, level: number) => string

function compileMapPii(
  piiFields: Readonly<Record<string, number>>,
): (event: Event, replace: Replace) => void {
  const fields = Object.entries(piiFields).map(([path, level]) => ({
    path,
    level,
    place: placeOf(path),
  }))
  return (event, replace) => {
    for (const { path, level, place } of fields) {
      const holder = holderOf(event, place)
      const value = holder?.[place.name]
      if (holder && typeof value === 'string') {
        holder[place.name] = replace(value, path, level)
      } else if (holder && Array.isArray(value)) {
        holder[place.name] = value.map((text) => replace(String(text), path, level))
      }
    }
  }
}

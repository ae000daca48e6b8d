// An Avro schema as a table of its leaves: path and type in words.
import { isObject, listOf, objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'

export type SchemaField = { readonly path: string; readonly type: string }

export const schemaFieldsOf = (schema: Json): SchemaField[] => {
  const all = leaves(schema, '')
  const isEnvelope = ({ path }: SchemaField): boolean => path.startsWith('svcMeta')
  return [...all.filter((field) => !isEnvelope(field)), ...all.filter(isEnvelope)]
}

const leaves = (record: Json, under: string): SchemaField[] =>
  listOf(record['fields'])
    .map(objectOf)
    .flatMap((field) => {
      const name = textOf(field['name'])
      const path = under === '' ? name : `${under}/${name}`
      const type = field['type']
      if (isObject(type) && type['type'] === 'record') return leaves(type, path)
      return [{ path, type: inWords(type) }]
    })

function inWords(type: unknown): string {
  if (typeof type === 'string') return type
  if (Array.isArray(type)) {
    const others = listOf(type)
      .filter((branch) => branch !== 'null')
      .map(inWords)
    return others.length < type.length ? `${others.join(' or ')}, may be null` : others.join(' or ')
  }
  const object = objectOf(type)
  if (object['type'] === 'array') return `list of ${inWords(object['items'])}`
  if (object['type'] === 'map') return `map of ${inWords(object['values'])}`
  if (object['type'] === 'enum') return listOf(object['symbols']).map(textOf).join(' or ')
  return isObject(object['type']) ? inWords(object['type']) : textOf(object['type'])
}

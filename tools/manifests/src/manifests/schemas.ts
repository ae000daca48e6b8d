// Validates rendered objects by JSON schemas: Kubernetes' own schemas in strict form, and the schemas in the
// definitions of custom resources. Unknown fields are errors here, because a cluster would drop them silently.

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'

import { arrayOf, at, isJson, objectAt, objectsOf, manifestTextAt } from '../json.ts'
import type { Json } from '../json.ts'
import { installed } from '../repository.ts'

export type Validate = (object: Json) => Promise<string[]>

/** Creates a function that returns an object's errors; an empty list if the object is valid. */
export async function createValidator(): Promise<Validate> {
  const folder = installed('schemas-*/schemas')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false })
  ajv.addSchema(await readJson(join(folder, '_definitions.json')))
  const definitions = await readDefinitions()
  const known = new Map<string, ValidateFunction>()

  const validatorOf = async (apiVersion: string, kind: string) => {
    const builtIn = join(folder, `${fileNameOf(apiVersion, kind)}.json`)
    if (existsSync(builtIn)) return ajv.compile(await readJson(builtIn))
    const schema = definitions.get(`${apiVersion}/${kind}`)
    return schema === undefined ? undefined : ajv.compile(schema)
  }

  const verdicts = new WeakMap<Json, string[]>()
  const judge = async (object: Json): Promise<string[]> => {
    const [apiVersion, kind] = [
      manifestTextAt(object, 'apiVersion'),
      manifestTextAt(object, 'kind'),
    ]
    const name = `${apiVersion}/${kind}`
    const validate = known.get(name) ?? (await validatorOf(apiVersion, kind))
    if (validate === undefined) return [`there is no schema of ${name}`]
    known.set(name, validate)
    validate(object)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  return async (object) => {
    const verdict = verdicts.get(object) ?? (await judge(object))
    verdicts.set(object, verdict)
    return verdict
  }
}

async function readJson(file: string): Promise<Json> {
  const content: unknown = JSON.parse(await readFile(file, 'utf8'))
  return isJson(content) ? content : {}
}

/** Returns `deployment-apps-v1` for a Deployment of `apps/v1`. */
function fileNameOf(apiVersion: string, kind: string): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const shortGroup = group.split('.')[0] ?? ''
  return [kind.toLowerCase(), shortGroup, version].filter((part) => part !== '').join('-')
}

async function readDefinitions(): Promise<Map<string, Json>> {
  const schemas = new Map<string, Json>()
  for (const folder of [installed('crds-*'), installed('strimzi-*')]) {
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.yaml'))) {
      for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
        const definition: unknown = document.toJS()
        for (const [name, schema] of schemasIn(definition)) schemas.set(name, schema)
      }
    }
  }
  return schemas
}

function schemasIn(definition: unknown): [name: string, schema: Json][] {
  if (manifestTextAt(definition, 'kind') !== 'CustomResourceDefinition') return []
  const [group, kind] = [
    manifestTextAt(definition, 'spec', 'group'),
    manifestTextAt(definition, 'spec', 'names', 'kind'),
  ]
  return objectsOf(at(definition, 'spec', 'versions')).map((version) => {
    const schema = closed(objectAt(version, 'schema', 'openAPIV3Schema'))
    // the cluster checks metadata by its own rules
    const properties = { ...objectAt(schema, 'properties'), metadata: { type: 'object' } }
    return [`${group}/${manifestTextAt(version, 'name')}/${kind}`, { ...schema, properties }]
  })
}

/** Converts a structural schema to a JSON schema that forbids unknown fields. */
function closed(schema: Json): Json {
  const own = Object.entries(schema).filter(
    ([key, value]) => !DROPPED.has(key) && !(key === 'pattern' && !isPattern(value)),
  )
  const result: Json = Object.fromEntries(
    own.map(([key, value]) => [key, closedMember(key, value)]),
  )
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in schema
  if (isJson(schema['properties']) && !isOpen) result['additionalProperties'] = false
  if (schema['nullable'] === true && typeof schema['type'] === 'string')
    result['type'] = [schema['type'], 'null']
  return result
}

/** Returns false for patterns that Go supports but JavaScript doesn't. */
function isPattern(value: unknown): boolean {
  try {
    return new RegExp(String(value), 'u') instanceof RegExp
  } catch {
    return false
  }
}

const DROPPED = new Set(['nullable', 'example', 'exclusiveMinimum', 'exclusiveMaximum', 'default'])

function closedMember(key: string, value: unknown): unknown {
  if (key === 'properties' && isJson(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, isJson(each) ? closed(each) : each]),
    )
  if ((key === 'items' || key === 'additionalProperties') && isJson(value)) return closed(value)
  return key === 'required' ? arrayOf(value) : value
}

// Builds an OpenAPI 3.1 document from a service's tables of operations and refusals. No I/O.
import type { DocumentedAnswer, Api, JsonSchema, Operation, Parameter } from './types.ts'

const link: JsonSchema = {
  description: 'The page about the code',
  required: true,
  schema: { type: 'string' },
}

export function openApiOf(api: Api): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const refused: Record<string, JsonSchema> = {}
  for (const operation of api.operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationOf({ api, refused }, operation),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      description: api.says,
      version: api.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(api.groups).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: api.schemas, responses: refused, securitySchemes: api.security },
  }
}

/** The document that is being built. Refusals that several operations share are described once, in `refused`. */
type Making = { readonly api: Api; readonly refused: Record<string, JsonSchema> }

function operationOf(making: Making, operation: Operation): JsonSchema {
  const { api } = making
  const { id, group, says, who, role, query = [], headers = [], body } = operation
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => inPathOf(api, name))
  const parameters = [
    ...inPath.map((parameter) => parameterOf('path', parameter)),
    ...query.map((parameter) => parameterOf('query', parameter)),
    ...headers.map((parameter) => parameterOf('header', parameter)),
  ]
  return {
    operationId: id,
    tags: [group],
    summary: says,
    ...(role === undefined ? {} : rolePartsOf(role)),
    security: who.map((scheme) => ({
      [scheme]: role === undefined || scheme !== 'apiKey' ? [] : [role],
    })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: body.mayBeMissing !== true, content: contentOf(body.content) },
        }),
    responses: responsesOf(making, operation),
  }
}

const rolePartsOf = (role: string): JsonSchema => ({
  description: `An API key needs the role ${role === 'owner' ? 'owner' : `${role} or owner`}.`,
  'x-weir-role': role,
})

function inPathOf(api: Api, name: string): Parameter {
  const parameter = api.pathParameters[name]
  if (parameter === undefined) throw new Error(`nothing is said of :${name} in a path`)
  return { ...parameter, isRequired: true }
}

const parameterOf = (place: string, { name, schema, says, isRequired }: Parameter): JsonSchema => ({
  name,
  in: place,
  required: isRequired === true,
  description: says,
  schema,
})

const contentOf = (content: NonNullable<DocumentedAnswer['content']>): JsonSchema =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

function responsesOf({ api, refused }: Making, operation: Operation): JsonSchema {
  const responses: Record<string, JsonSchema> = {}
  for (const { status, says, content } of operation.answers)
    responses[status] = {
      description: says,
      ...(content === undefined ? {} : { content: contentOf(content) }),
    }
  const codes = [...new Set(operation.refusals)]
  const form = operation.refusalForm ?? api.refusalForm
  for (const status of [...new Set(codes.map(api.statusOf))].sort((a, b) => a - b)) {
    const own = codes.filter((code) => api.statusOf(code) === status)
    const content = contentOf(form(own))
    const [, kind = 'Text'] = /schemas\/(\w+)/.exec(JSON.stringify(content)) ?? []
    const name = `${kind}.${status}.${own.join('-')}`
    responses[status] = { $ref: `#/components/responses/${name}` }
    refused[name] = {
      description: `Refused: ${own.join(', ')}`,
      headers: { Link: link },
      content,
    }
  }
  return responses
}

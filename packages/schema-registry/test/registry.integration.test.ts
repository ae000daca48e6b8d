import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import avsc from 'avsc'

import { frame } from '../src/framing.ts'
import { createRegistry } from '../src/registry.ts'
import { uniqueName } from '../../kafka/test/support.ts'

const URL_HERE = process.env['SCHEMA_REGISTRY_URL'] ?? 'http://127.0.0.1:18085/apis/ccompat/v7'
const registry = createRegistry(URL_HERE)

const schemaOf = (subject: string, ...fields: object[]) => ({
  type: 'record',
  name: 'Event',
  namespace: `n${subject.replaceAll('-', '')}`,
  svcSchemaId: subject,
  fields: [{ name: 'at', type: { type: 'long', logicalType: 'date' } }, ...fields],
})

test('registering is idempotent, and what readers get keeps unknown attributes and logical types', async () => {
  // Given
  const subject = uniqueName('registry')
  const schema = schemaOf(subject, { name: 'note', type: ['null', 'string'], default: null })
  const schemaText = JSON.stringify(schema, null, 2)

  // When
  const first = await registry.register(subject, schemaText)
  const again = await registry.register(subject, schemaText)

  // Then
  expect(again).toEqual(first)
  expect(first.schemaText).toBe(schemaText)
  expect(first.version).toBe(1)
  expect(JSON.parse((await registry.byId(first.id)).schemaText)).toEqual(schema)
  for (const version of [1, 'latest'] as const) {
    const known = await registry.bySubject(subject, version)
    expect(known).toMatchObject({ id: first.id, version: 1 })
    expect(JSON.parse(known.schemaText)).toEqual(schema)
  }
})

test('a schema is found by its content, whatever its layout, under its own subject alone', async () => {
  const subject = uniqueName('registry')
  const schema = schemaOf(subject)
  const { id } = await registry.register(subject, JSON.stringify(schema))

  expect(await registry.find(subject, JSON.stringify(schema, null, 4))).toEqual({ id, version: 1 })
  expect(await registry.find(subject, JSON.stringify({ ...schema, svcSchemaId: 'x' }))).toBe(
    undefined,
  )
  expect(await registry.find(uniqueName('registry'), JSON.stringify(schema))).toBeUndefined()
})

test('what is not there is told apart from what cannot be', async () => {
  const subject = uniqueName('registry')
  await registry.register(subject, JSON.stringify(schemaOf(subject)))

  await expect(registry.bySubject(subject, 7)).rejects.toMatchObject({ code: 'registry.not_found' })
  await expect(registry.bySubject('a/b?c', 'latest')).rejects.toMatchObject({
    code: 'registry.not_found',
  })
  await expect(registry.byId(2_000_000_000)).rejects.toMatchObject({ code: 'registry.not_found' })
  await expect(registry.register(subject, '{oops')).rejects.toMatchObject({
    code: 'registry.invalid_schema',
  })
})

test('a schema that the subject’s compatibility rule forbids is refused', async () => {
  // Given
  const subject = uniqueName('registry')
  await registry.register(subject, JSON.stringify(schemaOf(subject)))
  await fetch(`${URL_HERE}/config/${subject}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ compatibility: 'BACKWARD' }),
  })

  // When
  const changed = registry.register(
    subject,
    JSON.stringify(schemaOf(subject, { name: 'needed', type: 'string' })),
  )

  // Then
  await expect(changed).rejects.toMatchObject({ code: 'registry.incompatible' })
})

test('a Confluent client reads a framed value with nothing but the registry', async () => {
  // Given
  const subject = uniqueName('registry')
  const schema = schemaOf(subject, { name: 'note', type: 'string' })
  const { id } = await registry.register(subject, JSON.stringify(schema))
  const type = avsc.Type.forSchema({
    type: 'record',
    name: 'Event',
    fields: [
      { name: 'at', type: 'long' },
      { name: 'note', type: 'string' },
    ],
  })

  // When
  const value = frame(id, type.toBuffer({ at: 7, note: 'hello' }))

  // Then
  const client = new SchemaRegistry({ host: URL_HERE })
  expect(await client.decode(value)).toEqual({ at: 7, note: 'hello' })
})

const asked: { authorization: string | undefined; status: number }[] = []
const server = createServer((req, res) => {
  const status = req.url?.startsWith('/busy') ? 503 : 200
  asked.push({ authorization: req.headers.authorization, status })
  res.writeHead(status, { 'content-type': 'application/json' }).end('{"schema":"\\"int\\""}')
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = portOf(server.address())
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('a registry that fails, or is not there, is reported as unavailable', async () => {
  const busy = createRegistry(`http://127.0.0.1:${port}/busy`)
  const absent = createRegistry('http://127.0.0.1:1')

  await expect(busy.byId(1)).rejects.toMatchObject({ code: 'registry.unavailable' })
  await expect(absent.byId(1)).rejects.toMatchObject({ code: 'registry.unavailable' })
})

test('user and password of the URL go into the header, and into no message', async () => {
  const guarded = createRegistry(`http://user:p%40ss@127.0.0.1:${port}/`)

  expect(await guarded.byId(1)).toEqual({ schemaText: '"int"' })
  expect(asked.at(-1)?.authorization).toBe(`Basic ${btoa('user:p@ss')}`)
})

// How an export asks auth's registry for schemas, and what it says if it gets no schema.
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createSchemas } from '../../src/export/schemas.ts'
import type { Schemas } from '../../src/export/schemas.ts'
import { closedPort } from '../support/closed-port.ts'

const event = { type: 'record', name: 'E', fields: [] }
const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
  1: [200, JSON.stringify({ schema: JSON.stringify(event) })],
  2: [200, JSON.stringify({ schema: '"int"' })],
  3: [200, '{}'],
  4: [404, '{"error_code":40403}'],
  5: [401, ''],
  6: [302, '{}'],
  7: [500, '{}'],
  8: [404, '<html>'],
}
const asked: (string | undefined)[] = []
const server = createServer(({ url = '', headers }, response) => {
  asked.push(`${url} ${headers.authorization}`)
  const [status, text] = answers[url.replace('/registry/schemas/ids/', '')] ?? [400, '']
  response.writeHead(status).end(text)
})
let host = ''

const schemasAt = (at: string): Schemas => {
  const credentials = { clientId: 'id', clientSecret: 'secret' }
  return createSchemas({ url: `http://${at}/registry`, credentials })
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
})
afterAll(() => void server.close())

test('each schema is requested once, with the credentials of the stream', async () => {
  const schemas = schemasAt(host)
  const [first, again] = await Promise.all([schemas.schemaOf(1), schemas.schemaOf(1)])
  expect(first).toBe(again)
  expect(asked).toEqual([`/registry/schemas/ids/1 Basic ${btoa('id:secret')}`])
})

test.each([
  [3, 'the schema registry answered without a schema'],
  [4, 'the schema registry has no schema 4'],
  [5, 'the schema registry answered 401'],
  [6, 'the schema registry answered 302'],
  [7, 'the schema registry does not answer'],
  [8, 'the schema registry does not answer'],
])('schema %i: %s', async (id, message) => {
  await expect(schemasAt(host).schemaOf(id)).rejects.toMatchObject({
    message: `${message} (${host})`,
    advice: [expect.stringContaining('Is WEIR_AUTH_URL its address?')],
  })
})

test('a registry that is away does not answer, and a schema of another kind is none of an event', async () => {
  const away = `127.0.0.1:${await closedPort()}`
  await expect(schemasAt(away).schemaOf(1)).rejects.toThrow(
    `the schema registry does not answer (${away})`,
  )
  await expect(schemasAt(host).schemaOf(2)).rejects.toThrow(
    "the registry's schema 2 is not the schema of an event",
  )
})

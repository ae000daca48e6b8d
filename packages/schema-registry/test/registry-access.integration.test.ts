// The real registry behind a proxy that requires a login, over HTTPS with a certificate of a test CA. Each login method
// works. The cause of a failed login's error explains the failure, without a secret.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeAuthority } from '@weir/devstack'
import type { Authority } from '@weir/devstack'
import { describeError, loadConfig } from '@weir/kit'
import { z } from 'zod'

import { registryAccess } from '../src/registry-access.ts'
import { registryFields, withRegistryRules } from '../src/registry-settings.ts'
import { createRegistry } from '../src/registry.ts'
import type { Registry } from '../src/registry.ts'
import { uniqueName } from '../../kafka/test/support.ts'

const REGISTRY = process.env['SCHEMA_REGISTRY_URL'] ?? 'http://127.0.0.1:18085/apis/ccompat/v7'
const SCHEMA = withRegistryRules(z.object(registryFields))

let folder: string
let authority: Authority
let proxy: Server
let url: string
let wanted = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-registry-access-'))
  authority = await makeAuthority(folder, 'registry')
  const { cert, key } = await authority.issue('proxy', ['IP:127.0.0.1'])
  const target = new URL(REGISTRY)
  const tls = { cert: await readFile(cert), key: await readFile(key) }
  proxy = createServer(tls, (req, res) => {
    if (req.headers.authorization !== wanted) return void res.writeHead(401).end('who are you?')
    const { method, headers } = req
    const passed: typeof headers = { ...headers, host: target.host }
    delete passed.authorization
    const onward = request(
      new URL(req.url ?? '/', target),
      { method, headers: passed },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  url = `https://127.0.0.1:${port}${target.pathname}`
})

afterAll(async () => {
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

function registryWith(env: Record<string, string>): Registry {
  const settings = loadConfig(SCHEMA, {
    SCHEMA_REGISTRY_URL: url,
    SCHEMA_REGISTRY_CA_FILE: authority.ca,
    ...env,
  })
  return createRegistry(settings.SCHEMA_REGISTRY_URL, registryAccess(settings))
}

async function secret(text: string): Promise<string> {
  const path = join(folder, uniqueName('secret'))
  await writeFile(path, `${text}\n`)
  return path
}

async function expectUse(registry: Registry): Promise<void> {
  const subject = uniqueName('access')
  const schemaText = JSON.stringify({ type: 'record', name: 'Event', fields: [] })
  const { id } = await registry.register(subject, schemaText)
  expect(await registry.find(subject, schemaText)).toEqual({ id, version: 1 })
  expect(JSON.parse((await registry.byId(id)).schemaText)).toEqual(JSON.parse(schemaText))
}

/** Returns the failure as it is logged. */
const failureOf = (registry: Registry) =>
  registry.byId(1).then(
    () => ({}),
    (error: unknown) => describeError(error),
  )

const password = 'pass: wörd'
const basic = `Basic ${Buffer.from(`weir:${password}`).toString('base64')}`

test('a name and a password, from a file, are shown as basic authentication', async () => {
  wanted = basic
  const passwordFile = await secret(password)
  const login = { SCHEMA_REGISTRY_USERNAME: 'weir', SCHEMA_REGISTRY_PASSWORD_FILE: passwordFile }
  await expectUse(registryWith(login))
})

test('a token is shown as bearer authentication, and as its file has it at the time', async () => {
  // Given
  const tokenFile = await secret('first.token')
  const registry = registryWith({ SCHEMA_REGISTRY_TOKEN_FILE: tokenFile })
  wanted = 'Bearer first.token'
  await expectUse(registry)

  // When
  wanted = 'Bearer second.token'
  await writeFile(tokenFile, 'second.token')

  // Then
  await expectUse(registry)
})

test('a login that is refused is told by where to look, and never shown', async () => {
  wanted = basic
  const passwordFile = await secret('wrong-secret')
  const login = { SCHEMA_REGISTRY_USERNAME: 'weir', SCHEMA_REGISTRY_PASSWORD_FILE: passwordFile }
  const failure = await failureOf(registryWith(login))
  expect(failure).toMatchObject({
    code: 'registry.unavailable',
    message: 'the schema registry answered 401',
    causes: [expect.stringContaining('it refuses the login; see SCHEMA_REGISTRY_USERNAME')],
  })
  expect(JSON.stringify(failure)).not.toMatch(/wrong-secret|Basic/)
})

test.each([
  [
    'a certificate that nobody vouches for',
    () => ({ SCHEMA_REGISTRY_CA_FILE: '' }),
    "its certificate is not signed by a trusted CA; name its CA's file in SCHEMA_REGISTRY_CA_FILE",
  ],
  [
    'a certificate for another name',
    () => ({ SCHEMA_REGISTRY_URL: url.replace('127.0.0.1', 'localhost') }),
    'its certificate is for other names',
  ],
  [
    'HTTPS where there is none',
    () => ({ SCHEMA_REGISTRY_URL: REGISTRY.replace('http:', 'https:') }),
    'the TLS handshake fails; does it use TLS? If not, begin SCHEMA_REGISTRY_URL with http://',
  ],
  [
    'a registry that is not there',
    () => ({ SCHEMA_REGISTRY_URL: 'https://127.0.0.1:1' }),
    'nothing listens there; see SCHEMA_REGISTRY_URL',
  ],
])('%s is told', async (_, env, hint) => {
  const failure = await failureOf(registryWith(env()))
  expect(failure).toMatchObject({
    code: 'registry.unavailable',
    message: 'the schema registry does not answer',
    causes: expect.arrayContaining([expect.stringContaining(hint)]),
  })
})

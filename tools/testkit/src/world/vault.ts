// Runs a real Vault server for tests, with storage in memory, TLS by a test CA, the Transit engine, and a login by
// signed tokens, as in Kubernetes. tools/testkit/ci/vault.sh installs Vault.
import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'

import { REPOSITORY, freePort, makeAuthority, startWatched } from '@weir/devstack'
import type { ServiceName } from '@weir/devstack'
import { httpCall, pollUntil } from '@weir/kit'

import { asObject } from './account.ts'

/** The functions for the server's administrator. */
export type VaultServer = {
  /**
   * Sends a request as administrator, and returns the response's object, or an empty object. Throws if the request
   * fails.
   */
  ask(path: string, body?: object): Promise<Record<string, unknown>>
  remove(path: string): Promise<void>
  /** Simulates an unavailable KMS: Vault returns 503 to every request. */
  seal(): Promise<void>
  unseal(): Promise<void>
  stop(): Promise<void>
}

export type VaultLogins = {
  /** Writes a file with a new token that has the rights of this policy. */
  tokenFile(name: string, policy: string): Promise<string>
  /** Writes a file with a JWT for logging in to the role `weir`, which has output's rights. */
  jwtFile(name: string): Promise<string>
}

export type Vault = VaultServer &
  VaultLogins & {
    readonly address: string
    /** The file with the server's CA certificate. */
    readonly ca: string
  }

const KEKS = ['sign', 'link', 'open', 'levels']

/** Reads the service's policy in k8s/components/vault. */
export const policyFor = (service: ServiceName): Promise<string> =>
  readFile(join(REPOSITORY, 'k8s/components/vault/policies', `weir-${service}.hcl`), 'utf8')
/** The setting that makes auth wrap with these KEKs. */
export const wrapsByVault = KEKS.map((kek) => `${kek}=vault:weir-${kek}`).join(',')

const folderOfVault = join(REPOSITORY, '.weir', 'vault')

/** Returns the path of Vault's program. Throws if Vault isn't installed. */
export function vaultProgram(): string {
  const program = join(folderOfVault, 'v1.21.2')
  if (existsSync(program)) return program
  throw new Error(
    'Vault is missing: tools/testkit/ci/vault.sh builds it with Go, and .weir/vault/log says what went wrong',
  )
}

export async function startVault(program: string, folder: string): Promise<Vault> {
  const { server, address, authority } = await startServer(program, folder)
  const ca = await readFile(authority.ca)
  const call = createCall(address, ca)
  const opened = await open(call)
  const ask = (path: string, body?: object) => call(path, { token: opened.token, body })
  const unseal = async (): Promise<void> => void (await call('sys/unseal', { body: opened.unseal }))
  const signer = await prepare(ask)
  const fileWith = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, text, { mode: 0o600 })
    return file
  }
  return {
    address,
    ca: authority.ca,
    ask,
    remove: (path) => remove(new URL(`${address}/v1/${path}`), { ca, token: opened.token }),
    seal: async () => void (await ask('sys/seal', {})),
    unseal,
    async tokenFile(name, policy) {
      await ask(`sys/policies/acl/${name}`, { policy })
      const made = await ask('auth/token/create', { policies: [name], no_parent: true })
      return fileWith(name, String(asObject(made['auth'])['client_token']))
    },
    jwtFile: (name) => fileWith(name, jwtOf(signer)),
    stop: async () => void (await server.stop(5_000)),
  }
}

async function startServer(program: string, folder: string) {
  const port = await freePort()
  const authority = await makeAuthority(folder, 'vault')
  const { cert, key } = await authority.issue('server', ['IP:127.0.0.1'])
  const config = join(folder, 'vault.hcl')
  await writeFile(config, configOf({ port, cert, key }))
  const server = await startWatched({
    command: program,
    args: ['server', `-config=${config}`],
    env: { PATH: process.env['PATH'], HOME: folder },
    cwd: folder,
    output: 'pipe',
    graceMs: 2_000,
  })
  for (const stream of server.output) stream.resume()
  return { server, address: `https://127.0.0.1:${port}`, authority }
}

const configOf = (of: { port: number; cert: string; key: string }): string => `
storage "inmem" {}
disable_mlock = true
listener "tcp" {
  address = "127.0.0.1:${of.port}"
  tls_cert_file = "${of.cert}"
  tls_key_file = "${of.key}"
}
`

type Call = (
  path: string,
  more: { token?: string; body?: object | undefined },
) => Promise<Record<string, unknown>>

const createCall =
  (address: string, ca: Buffer): Call =>
  async (path, { token, body }) => {
    const answer = await httpCall(new URL(`${address}/v1/${path}`), {
      method: body === undefined ? 'GET' : 'POST',
      headers: token === undefined ? {} : { 'x-vault-token': token },
      body: body && JSON.stringify(body),
      ca,
      timeoutMs: 10_000,
    })
    if (answer.status >= 300) throw new Error(`Vault: ${path}: ${answer.status} ${answer.text}`)
    return answer.text === '' ? {} : asObject(JSON.parse(answer.text))
  }

function remove(url: URL, { ca, token }: { ca: Buffer; token: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'DELETE', ca, headers: { 'x-vault-token': token } }
    const request = httpsRequest(url, options, (answer) => {
      answer.resume()
      if (answer.statusCode === 204) resolve()
      else reject(new Error(`Vault: ${url.pathname}: ${answer.statusCode}`))
    })
    request.on('error', reject).end()
  })
}

/** Initializes the server. Returns the root token, and the only key that unlocks the server. */
async function open(call: Call): Promise<{ token: string; unseal: object }> {
  const init = { secret_shares: 1, secret_threshold: 1 }
  const made = await pollUntil(() => call('sys/init', { body: init }).catch(() => undefined), {
    deadlineMs: 60_000,
    what: 'the start of Vault',
  })
  const [key]: unknown[] = Array.isArray(made['keys']) ? made['keys'] : []
  const unseal = { key }
  await call('sys/unseal', { body: unseal })
  const token = String(made['root_token'])
  const isActive = () => call('sys/mounts', { token }).catch(() => undefined)
  await pollUntil(isActive, { deadlineMs: 60_000, what: 'Vault becoming active' })
  return { token, unseal }
}

async function prepare(ask: Vault['ask']): Promise<KeyObject> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await ask('sys/mounts/transit', { type: 'transit' })
  for (const kek of KEKS) await ask(`transit/keys/weir-${kek}`, {})
  await ask('sys/auth/jwt', { type: 'jwt' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  await ask('auth/jwt/config', { jwt_validation_pubkeys: [pem] })
  await ask('sys/policies/acl/by-role', { policy: await policyFor('output') })
  await ask('auth/jwt/role/weir', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['vault'],
    token_policies: ['by-role'],
    token_ttl: '1m',
  })
  return privateKey
}

function jwtOf(key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: 'weir', aud: 'vault', iat: now, nbf: now - 10, exp: now + 600 }
  const signed = [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

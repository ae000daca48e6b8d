// KEKs in a real Vault replace KEKs in a file, and are rotated. When Vault is unavailable, running services continue,
// starting services wait, and nothing is stored unencrypted.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { makeKekFiles } from '@weir/devstack'
import type { Service, ServiceName } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { setting } from '../../src/world/services.ts'
import type { ServiceEnv, World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'
import { policyFor, startVault, vaultProgram, wrapsByVault } from '../../src/world/vault.ts'
import type { Vault } from '../../src/world/vault.ts'

const schemaId = 'clickstream'
const none = { auth: {}, ingest: {}, output: {} }

let own: OwnNames
let vault: Vault
let world: World
let account: Account
let input: TestStream
let toVault: ServiceEnv
/** Each service has its policy of k8s/components/vault. */
const tokens: Record<ServiceName, ServiceEnv> = { auth: {}, ingest: {}, output: {} }

afterAll(async () => {
  await own?.close()
  await vault?.stop()
})

const start = (env: ServiceEnv, envOf = tokens): Promise<World> => own.startWorld(env, envOf)
const allKeks = (version: number): Set<string> =>
  new Set(['sign', 'link', 'open', 'levels'].map((name) => `vault:weir-${name}:${version}`))

/** Sends the same request for every key. */
async function askOfAll(path: string, body: object): Promise<void> {
  for (const name of ['sign', 'link', 'open', 'levels'])
    await vault.ask(`transit/keys/weir-${name}/${path}`, body)
}

const platform = (method: string, path: string) =>
  request(world.auth.url, setting('PLATFORM_KEY'), method, path)

async function rotate(): Promise<Record<string, unknown>> {
  const { id } = expectStatus(await platform('POST', '/v2/keys/rotations'), 202).body
  return pollUntil(
    async () => {
      const { body } = expectStatus(await platform('GET', '/v2/keys'), 200)
      const rotation = asObject(body['rotation'])
      return rotation['id'] === id && rotation['finishedAt'] !== null ? body : undefined
    },
    { deadlineMs: 60_000, what: 'the end of the rotation' },
  )
}

const keksIn = ({ rings }: Record<string, unknown>): Set<unknown> =>
  new Set(Array.isArray(rings) ? rings.map((ring) => asObject(ring)['kek']) : [])

async function sendOne(url = world.ingest.url): Promise<number> {
  const producer = await connectProducer(url)
  const token = await account.at(world.auth.url).token(input)
  const { status } = await producer.send(await exampleEvent(schemaId), { token, schemaId })
  producer.close()
  return status
}

async function peopleIn(name: string, count: number): Promise<Set<unknown>> {
  const contract = await compiledExample(schemaId)
  const records = await own.reader.readUntil(`${account.billingId}.${name}`, count)
  return new Set(records.map((record) => plainEvent(contract, record)['producerSessionId']))
}

/** Returns a function that returns the log lines since this call. */
function linesFrom(): () => string {
  const before = world.logLines().length
  return () => world.logLines().slice(before).join('\n')
}
const isWaiting = (lines: () => string, why: RegExp) => () =>
  lines().includes('does not unwrap a wrapping key') && why.test(lines())

describe('with a real Vault', () => {
  beforeAll(async () => {
    own = await openOwnNames('vault')
    await makeKekFiles(own.folder)
    vault = await startVault(vaultProgram(), own.folder)
    toVault = {
      VAULT_ADDR: vault.address,
      VAULT_CA_FILE: vault.ca,
      KEK_WRAPS: wrapsByVault,
    }
    for (const name of ['auth', 'ingest', 'output'] as const)
      tokens[name] = { VAULT_TOKEN_FILE: await vault.tokenFile(name, await policyFor(name)) }
  })

  test('keys move from a file to Vault, and without the file everything opens as before', async () => {
    world = await start({ KEK_FOLDER: own.folder }, none)
    account = await signUp(world.auth.url)
    await account.contract(schemaId)
    input = await account.input('clicks')
    expect(await sendOne()).toBe(204)
    await world.stop()

    world = await start({ KEK_FOLDER: own.folder, ...toVault })
    const keys = await rotate()
    expect(keksIn(keys)).toEqual(allKeks(1))
    const fileKek = { kek: expect.stringMatching(/^file:/) }
    expect(keys['unusedKeks']).toMatchObject([fileKek, fileKek, fileKek, fileKek])
    await world.stop()

    world = await start({ ...toVault, KEK_FILE: '' })
    expect(await sendOne()).toBe(204)
    await account.at(world.auth.url).output('clicks', 'moved', {
      consentLevels: [1],
      from: 'earliest',
    })
    expect(await peopleIn('moved', 2)).toEqual(new Set(['session-0001']))
  })

  test("after a rotation, versions of Vault's key that are no longer allowed aren't needed", async () => {
    await askOfAll('rotate', {})
    expect(keksIn(await rotate())).toEqual(allKeks(2))
    await askOfAll('config', { min_decryption_version: 2 })
    const output = await world.replica('output')
    await output.stop()
  })

  test('an erasure is destroyed once no version is left that wrapped what it replaced, and the places that had them say so', async () => {
    const at = account.at(world.auth.url)
    const path = '/v2/streams/clicks/erasures'
    const made = await at.call('POST', path, {
      keyFieldValue: 'session-of-nobody',
      evenIfNoneFound: true,
    })
    const { id } = expectStatus(made, 201).body
    await askOfAll('rotate', {})
    await rotate()
    const stateBy = async (auth: Service): Promise<unknown> =>
      (await account.at(auth.url).call('GET', `${path}/${String(id)}`)).body['state']
    const isApplied = async () => (await stateBy(world.auth)) === 'applied'
    await pollUntil(isApplied, { deadlineMs: 60_000, what: 'an applied erasure' })
    const versions = { min_encryption_version: 3, min_decryption_version: 3 }
    await askOfAll('config', versions)
    await askOfAll('trim', { min_available_version: 3 })
    // At its start, and every minute, auth checks whether old KEKs still exist. This replica can't check the first
    // KEKs, which were in files.
    const lines = linesFrom()
    const without = await world.replica('auth')
    const isTold = () => /whether file:\w+:1 still exists is unknown: set KEK_FILE/.test(lines())
    await pollUntil(isTold, { deadlineMs: 60_000, what: 'what cannot be told' })
    expect(await stateBy(without)).toBe('applied')
    await without.stop()
    const emptied = join(own.folder, 'emptied')
    await writeFile(emptied, `open 2 ${'ef'.repeat(32)}\n`)
    const another = await world.replica('auth', { KEK_FILE: emptied })
    const isDestroyed = async () => (await stateBy(another)) === 'destroyed'
    await pollUntil(isDestroyed, { deadlineMs: 60_000, what: 'a destroyed erasure' })
    await another.stop()
  })

  test("a service logs in by its pod's token, which Vault gives one of its own for", async () => {
    const output = await world.replica('output', {
      VAULT_TOKEN_FILE: '',
      VAULT_KUBERNETES_ROLE: 'weir',
      VAULT_KUBERNETES_MOUNT: 'jwt',
      VAULT_KUBERNETES_TOKEN_FILE: await vault.jwtFile('pod-token'),
    })
    await output.stop()
  })

  test('a token that may not is told by what to look at, and neither it nor a key is in the log', async () => {
    const tokenFile = await vault.tokenFile('nobody', 'path "nothing" { capabilities = ["deny"] }')
    const why = /Vault returns 403 to transit\/decrypt\/weir-(open|levels); see the policy/
    const lines = linesFrom()
    const starting = world.replica('output', { VAULT_TOKEN_FILE: tokenFile })
    starting.catch(() => undefined)
    await pollUntil(isWaiting(lines, why), { deadlineMs: 60_000, what: why.source })
    expect(lines()).not.toContain(await readFile(tokenFile, 'utf8'))
    await vault.ask('sys/policies/acl/nobody', { policy: await policyFor('output') })
    await (await starting).stop()
  })

  test('without Vault, what runs goes on and what starts waits; when it is back, everybody is ready', async () => {
    await vault.seal()
    expect(await sendOne()).toBe(204)
    expect(await peopleIn('moved', 3)).toEqual(new Set(['session-0001']))
    const refused = await platform('POST', '/v2/keys/rotations')
    expect([refused.status, refused.body['code']]).toEqual([503, 'unavailable'])

    const lines = linesFrom()
    const starting = Promise.all([world.replica('ingest'), world.replica('output')])
    starting.catch(() => undefined)
    const why = /Vault returns 503/
    await pollUntil(isWaiting(lines, why), { deadlineMs: 60_000, what: why.source })
    const form = /"service":"ingest","port":(\d+),"adminPort":(\d+)/
    const [, port, adminPort] = form.exec(lines()) ?? []
    const ready = await fetch(`http://127.0.0.1:${adminPort}/health/ready`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('_ring/')])
    expect(await sendOne(`http://127.0.0.1:${port}`)).toBe(503)

    await vault.unseal()
    const [ingest, output] = await starting
    expect(await sendOne(ingest.url)).toBe(204)
    expect(await peopleIn('moved', 4)).toEqual(new Set(['session-0001']))
    await Promise.all([ingest.stop(), output.stop()])
  })
})

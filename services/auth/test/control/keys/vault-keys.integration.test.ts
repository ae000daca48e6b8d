// When a key version counts as destroyed, tested with a real Vault: only if Vault's response about that key says so.
// Signed receipts contain the result, so no other response may count.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { loadKek } from '@weir/control-state'
import { policyFor, startVault, vaultProgram } from '@weir/testkit'
import type { Vault } from '@weir/testkit'

import { configSchema } from '../../../src/config.ts'
import type { Config } from '../../../src/config.ts'

let folder: string
let vault: Vault
let tokenFile: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-vault-keys-'))
  vault = await startVault(vaultProgram(), folder)
  tokenFile = await vault.tokenFile('auth', await policyFor('auth'))
  for (let version = 2; version <= 3; version++)
    await vault.ask('transit/keys/weir-open/rotate', {})
  const versions = { min_encryption_version: 3, min_decryption_version: 3 }
  await vault.ask('transit/keys/weir-open/config', versions)
  await vault.ask('transit/keys/weir-open/trim', { min_available_version: 2 })
}, 700_000)

afterAll(async () => {
  await vault?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function hasAsked(kek: string, env: Record<string, string> = {}): Promise<boolean> {
  const config = loadConfig<Config>(configSchema, {
    KAFKA_BROKERS: '127.0.0.1:9',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9',
    PLATFORM_KEY: 'platform-key-of-the-tests-32-letters',
    VAULT_ADDR: vault.address,
    VAULT_CA_FILE: vault.ca,
    VAULT_TOKEN_FILE: tokenFile,
    KEK_WRAPS:
      'sign=vault:weir-sign,link=vault:weir-link,open=vault:weir-open,levels=vault:weir-levels',
    ...env,
  })
  return (await loadKek(config)).has(kek)
}

test('a version that was trimmed is gone, by the policy that auth has; one that may only not decrypt is not', async () => {
  expect(await hasAsked('vault:weir-open:1')).toBe(false)
  expect(await hasAsked('vault:weir-open:2')).toBe(true)
  expect(await hasAsked('vault:weir-open:3')).toBe(true)
})

test('a mount that is mistyped, or not Transit, or without the key, is no answer', async () => {
  await vault.ask('sys/mounts/elsewhere', { type: 'transit' })
  await vault.ask('sys/mounts/secrets', { type: 'kv' })
  await vault.ask('secrets/keys/weir-open', { min_available_version: 9 })
  const everything = 'path "*" { capabilities = ["read", "list", "update"] }'
  const any = { VAULT_TOKEN_FILE: await vault.tokenFile('any', everything) }
  for (const mount of ['transti', 'elsewhere', 'secrets'])
    for (const token of [any, {}])
      await expect(
        hasAsked('vault:weir-open:1', { ...token, VAULT_TRANSIT_MOUNT: mount }),
      ).rejects.toMatchObject({ code: 'control-state.kms_refused' })
})

test('a key that was deleted, or that never had the version, is no answer; nor is one that may not be looked at', async () => {
  await vault.ask('transit/keys/weir-gone', {})
  await vault.ask('transit/keys/weir-gone/config', { deletion_allowed: true })
  const look = 'path "transit/keys/*" { capabilities = ["read"] }'
  const reader = { VAULT_TOKEN_FILE: await vault.tokenFile('reader', look) }
  expect(await hasAsked('vault:weir-gone:1', reader)).toBe(true)
  await vault.remove('transit/keys/weir-gone')
  await expect(hasAsked('vault:weir-gone:1', reader)).rejects.toThrow('is unknown')
  await vault.ask('transit/keys/weir-gone', {})
  await expect(hasAsked('vault:weir-gone:2', reader)).rejects.toThrow('is unknown')
  await expect(hasAsked('vault:weir-gone:1')).rejects.toThrow('Vault returns 403')
})

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import {
  accountInWords,
  forgetStreams,
  missingProfile,
  savedCredentials,
  resolveAccount,
  saveCredentials,
  saveLogin,
} from '../../src/accounts/account.ts'
import type { CliAccount, AccountChoice } from '../../src/accounts/account.ts'
import { defaultAddresses, readProfile } from '../../src/accounts/profile.ts'
import type { Environment } from '../../src/accounts/profile.ts'
import { temporaryFolder, writeJson } from '../support/temporary.ts'

const demoJson = {
  authUrl: 'http://127.0.0.1:18081',
  ingestUrl: 'http://127.0.0.1:18082',
  outputUrl: 'http://127.0.0.1:18083',
  billingId: 'demo',
  apiKey: 'demo-key',
  streams: [
    { name: 'demo', kind: 'input', topic: 'demo.demo', clientId: 'c0', clientSecret: 's0' },
    {
      name: 'demo-1',
      kind: 'derived',
      level: 1,
      topic: 'demo.demo-1',
      clientId: 'c1',
      clientSecret: 's1',
    },
  ],
}

/** Creates a folder two levels below the demo's, but no profile. */
function machine(demo: unknown = demoJson) {
  const root = temporaryFolder()
  const cwd = join(root, 'a', 'b')
  mkdirSync(cwd, { recursive: true })
  if (demo !== null) writeJson(join(root, '.weir', 'demo.json'), demo)
  const config = join(root, 'home', 'config.json')
  const resolve = (env: Environment = {}, choice: Partial<AccountChoice> = {}): CliAccount =>
    resolveAccount({
      env: { WEIR_CONFIG: config, ...env },
      cwd,
      wantsDemo: false,
      bringsKey: false,
      ...choice,
    })
  return { config, resolve }
}

const acme = {
  authUrl: 'https://auth.example.org',
  ingestUrl: 'https://ingest.example.org',
  outputUrl: 'https://output.example.org',
  apiKey: 'acme-key',
}

const credentials = { clientId: 'c', clientSecret: 's' }

describe('with nobody logged in', () => {
  test("the demo's account, addresses and streams are used from any folder below it", () => {
    const account = machine().resolve()
    expect(account).toMatchObject({
      billingId: 'demo',
      apiKey: 'demo-key',
      authUrl: demoJson.authUrl,
    })
    expect(savedCredentials(account, 'demo-1')).toEqual({ clientId: 'c1', clientSecret: 's1' })
  })

  test('and no demo, the addresses are the usual ones and there is no account', () => {
    const account = machine(null).resolve({ WEIR_BILLING_ID: 'acme' })
    expect(account).toMatchObject({ ...defaultAddresses, billingId: 'acme', apiKey: undefined })
  })

  test("saved credentials are used beside the demo's, which stays the account in use", async () => {
    const { config, resolve } = machine()
    await saveCredentials(resolve(), 'demo', 'mine', credentials)
    expect(resolve().demo).toBeDefined()
    expect(savedCredentials(resolve(), 'mine')).toEqual(credentials)
    expect(savedCredentials(resolve(), 'demo')?.clientId).toBe('c0')
    expect(readProfile(config).accounts.get('demo')?.apiKey).toBeUndefined()
  })

  test('credentials saved for a demo at another address are not used', async () => {
    const { resolve } = machine()
    await saveCredentials(resolve(), 'demo', 'mine', credentials)
    const moved = resolve({ WEIR_AUTH_URL: 'http://127.0.0.1:9999' })
    expect(savedCredentials(moved, 'mine')).toBeUndefined()
  })

  test('a name such as constructor has no credentials by accident', () => {
    expect(savedCredentials(machine().resolve(), 'constructor')).toBeUndefined()
  })
})

describe('the environment', () => {
  test('goes before the demo, value by value', () => {
    const account = machine().resolve({
      WEIR_INGEST_URL: 'http://127.0.0.1:1234',
      WEIR_API_KEY: 'k',
    })
    expect(account).toMatchObject({ authUrl: demoJson.authUrl, ingestUrl: 'http://127.0.0.1:1234' })
    expect(account.apiKey).toBe('k')
  })

  test('goes before the profile, value by value', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    expect(resolve({ WEIR_OUTPUT_URL: 'http://o', WEIR_API_KEY: '' })).toMatchObject({
      ...acme,
      outputUrl: 'http://o',
    })
  })

  test('its credentials stand for those of any stream, and come in pairs', () => {
    const { resolve } = machine()
    const account = resolve({ WEIR_CLIENT_ID: 'c', WEIR_CLIENT_SECRET: 's' })
    expect(savedCredentials(account, 'demo-1')).toEqual(credentials)
    expect(() => resolve({ WEIR_CLIENT_ID: 'c' })).toThrow(
      'set both WEIR_CLIENT_ID and WEIR_CLIENT_SECRET',
    )
  })

  test('its billing id chooses an account of the profile, and hides a demo of another name', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    await saveLogin(config, 'other', { ...acme, apiKey: 'other-key' })
    expect(resolve({ WEIR_BILLING_ID: 'acme' }).apiKey).toBe('acme-key')
    const chosen = accountInWords(resolve({ WEIR_BILLING_ID: 'acme' }))
    expect(chosen).toBe('the account acme, from WEIR_BILLING_ID')
    expect(resolve({ WEIR_BILLING_ID: 'nobody' })).toMatchObject({
      apiKey: undefined,
      demo: undefined,
    })
  })

  test.each([
    [{ WEIR_API_KEY: 'k' }, false],
    [{ WEIR_CLIENT_ID: 'c', WEIR_CLIENT_SECRET: 's' }, false],
    [{}, true],
  ])("a key never goes to a demo.json's address on another machine: %p %p", (env, bringsKey) => {
    const { resolve } = machine({ ...demoJson, authUrl: 'https://elsewhere.example.org' })
    expect(resolve().demo).toBeDefined()
    expect(resolve(env, { bringsKey }).authUrl).toBe(defaultAddresses.authUrl)
    expect(() => resolve(env, { bringsKey, wantsDemo: true })).toThrow('would be sent there')
  })
})

describe('with somebody logged in', () => {
  test('the demo is used only when it is asked for', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    expect(resolve()).toMatchObject({ ...acme, billingId: 'acme', demo: undefined })
    expect(resolve({}, { wantsDemo: true })).toMatchObject({
      billingId: 'demo',
      apiKey: 'demo-key',
    })
  })

  test('asking for a demo that is not there says how to start one', () => {
    expect(() => machine(null).resolve({}, { wantsDemo: true })).toThrow(
      'there is no .weir/demo.json',
    )
  })

  test('saving and forgetting credentials leaves the login as it is', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    await saveCredentials(resolve({ WEIR_INGEST_URL: 'http://i' }), 'acme', 'clicks', credentials)
    expect(readProfile(config).accounts.get('acme')).toEqual({
      ...acme,
      streams: new Map([['clicks', credentials]]),
    })
    await forgetStreams(resolve(), 'acme', ['clicks', 'never-saved'])
    expect(readProfile(config).accounts.get('acme')).toEqual({ ...acme, streams: new Map() })
  })

  test('credentials of the same account elsewhere do not replace its own', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    const elsewhere = resolve({ WEIR_AUTH_URL: 'http://127.0.0.1:9999' })
    const saving = saveCredentials(elsewhere, 'acme', 'clicks', credentials)
    await expect(saving).rejects.toThrow(
      'the profile has the address https://auth.example.org for the account acme',
    )
  })

  test('a new login at the same address keeps saved credentials, at another one none', async () => {
    const { config, resolve } = machine()
    await saveLogin(config, 'acme', acme)
    await saveCredentials(resolve(), 'acme', 'clicks', credentials)
    await saveLogin(config, 'acme', { ...acme, apiKey: 'new-key' })
    expect(resolve().streams.get('clicks')).toEqual(credentials)
    await saveLogin(config, 'acme', { ...acme, authUrl: 'https://elsewhere.example.org' })
    expect(resolve().streams.size).toBe(0)
  })
})

test('a missing profile is named if WEIR_CONFIG says where it is, and else is nothing special', () => {
  const named = { billingId: undefined, profile: 'no/such/walk.json', isProfileNamed: true }
  expect(missingProfile(named)).toEqual([
    `WEIR_CONFIG names ${join(process.cwd(), named.profile)}, and there is no such file.`,
  ])
  for (const less of [{ billingId: 'acme' }, { isProfileNamed: false }])
    expect(missingProfile({ ...named, ...less })).toEqual([])
})

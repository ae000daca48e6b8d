// auth is told which KEK wraps which ring, or there is just one. Anything else stops its start, with a sentence
// that says what to set and no key.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'
import { kekFields, withKekRules } from '../../src/kek/kek-settings.ts'
import { kekOfRing, kekWrapsField, withWrapRules } from '../../src/kek/kek-wraps.ts'
import type { WrapSettings } from '../../src/kek/kek-wraps.ts'

const KEY = 'ab'.repeat(32)
const schema = withWrapRules(withKekRules(z.object({ ...kekFields, ...kekWrapsField })))
const read = (env: Record<string, string>): WrapSettings => loadConfig<WrapSettings>(schema, env)
const vault = { VAULT_ADDR: 'https://vault:8200', VAULT_TOKEN_FILE: '/token' }

let folder: string
let one: string
let two: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kek-'))
  one = join(folder, 'one')
  two = join(folder, 'two')
  await writeFile(one, `weir 1 ${KEY}\nweir 2 ${KEY}\n`)
  await writeFile(two, `low 1 ${KEY}\nhigh 1 ${KEY}\n`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the only KEK there is wraps all rings', () => {
  expect(kekOfRing(read({ KEK_FILE: one }))('open')).toEqual({ provider: 'file', name: 'weir' })
  const env = read({ KEK: `main 1 ${KEY}` })
  expect(kekOfRing(env)('level.3')).toEqual({ provider: 'env', name: 'main' })
})

test('KEK_WRAPS says which wraps all, and which wraps single rings', () => {
  const settings = read({ KEK_FILE: two, KEK_WRAPS: 'file:high, level.0=file:low, open=file:low' })
  const of = kekOfRing(settings)
  expect([of('open').name, of('level.0').name]).toEqual(['low', 'low'])
  expect([of('link').name, of('level.2').name, of('sign').name]).toEqual(['high', 'high', 'high'])
})

test('while keys move to Vault, what wraps is said, and the file still counts', () => {
  const settings = read({ KEK_FILE: one, ...vault, KEK_WRAPS: 'vault:weir' })
  expect(kekOfRing(settings)('open')).toEqual({ provider: 'vault', name: 'weir' })
})

test.each([
  ['nothing', () => ({}), 'KEK_FILE is wrong: one of KEK_FILE, KEK and VAULT_ADDR must be set'],
  ['two names', () => ({ KEK_FILE: two }), 'KEK_WRAPS is wrong: there is not just one KEK'],
  ['Vault alone', () => vault, 'KEK_WRAPS is wrong: there is not just one KEK'],
  [
    'a file and a variable',
    () => ({ KEK_FILE: one, KEK: `main 1 ${KEY}` }),
    'KEK_WRAPS is wrong: there is not just one KEK',
  ],
  [
    'a KEK that is not there',
    () => ({ KEK_FILE: two, KEK_WRAPS: 'file:lower' }),
    'KEK_WRAPS is wrong: it names a KEK that',
  ],
  [
    'Vault without its address',
    () => ({ KEK_FILE: one, KEK_WRAPS: 'vault:weir' }),
    'KEK_WRAPS is wrong: it names a KEK that',
  ],
  ...['file:low,file:high', 'open=file:low', 'file:low,open=file:low,open=file:high', 'file'].map(
    (wraps) =>
      [
        wraps,
        () => ({ KEK_FILE: two, KEK_WRAPS: wraps }),
        'KEK_WRAPS is wrong: it must be one `provider:name` for all rings',
      ] as const,
  ),
  [
    'a ring that there is not',
    () => ({ KEK_FILE: two, KEK_WRAPS: 'file:low,level.256=file:high' }),
    'KEK_WRAPS is wrong: it must be one',
  ],
  [
    'Vault without a login',
    () => ({ VAULT_ADDR: 'https://vault', KEK_WRAPS: 'vault:weir' }),
    'VAULT_ADDR is wrong: it needs VAULT_TOKEN_FILE or VAULT_KUBERNETES_ROLE, and not both',
  ],
  [
    'both logins',
    () => ({ ...vault, VAULT_KUBERNETES_ROLE: 'weir', KEK_WRAPS: 'vault:weir' }),
    'VAULT_ADDR is wrong: it needs VAULT_TOKEN_FILE or VAULT_KUBERNETES_ROLE, and not both',
  ],
  [
    'a login for no Vault',
    () => ({ KEK_FILE: one, VAULT_TOKEN_FILE: '/token' }),
    'VAULT_TOKEN_FILE is wrong: it needs VAULT_ADDR',
  ],
  ['lines that are none', () => ({ KEK: 'secret material' }), 'KEK is wrong: KEK line 1'],
])('%s stops the start', (_, env, message) => {
  const start = () => read(env())
  expect(start).toThrow(message)
  expect(start).not.toThrow(/abab|material/)
})

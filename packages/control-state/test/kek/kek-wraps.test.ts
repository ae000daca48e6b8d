// Each kind of wrapping key has a KEK of its own, by name or by KEK_WRAPS. Otherwise auth does not start; the
// message says what to set and contains no key. A single KEK needs an explicit setting.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'
import { kekFields, withKekRules } from '../../src/kek/kek-settings.ts'
import { kekOfKey, kekWrapsFields, withWrapRules } from '../../src/kek/kek-wraps.ts'
import type { WrapSettings } from '../../src/kek/kek-wraps.ts'

const KEY = 'ab'.repeat(32)
const schema = withWrapRules(withKekRules(z.object({ ...kekFields, ...kekWrapsFields })))
const read = (env: Record<string, string>): WrapSettings => loadConfig<WrapSettings>(schema, env)
const vault = { VAULT_ADDR: 'https://vault:8200', VAULT_TOKEN_FILE: '/token' }

const vaultKeys = 'sign=vault:s,link=vault:k,open=vault:o,levels=vault:l'

let folder: string
let one: string
let two: string
let four: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kek-'))
  const write = async (name: string, keks: readonly string[]): Promise<string> => {
    await writeFile(join(folder, name), keks.map((kek) => `${kek} 1 ${KEY}\n`).join(''))
    return join(folder, name)
  }
  one = await write('one', ['weir'])
  two = await write('two', ['low', 'high'])
  four = await write('four', ['sign', 'link', 'open', 'levels', 'low'])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('lines named sign, link, open and levels each wrap their kind of wrapping key, without a word', () => {
  const of = kekOfKey(read({ KEK_FILE: four }))
  expect(
    ['sign', 'link', 'open', 'level.0', 'level.255'].map((wrappingKey) => of(wrappingKey).name),
  ).toEqual(['sign', 'link', 'open', 'levels', 'levels'])
  expect(of('open')).toEqual({ provider: 'file', name: 'open' })
  const lines = ['sign', 'link', 'open', 'levels'].map((kek) => `${kek} 1 ${KEY}`).join('\n')
  expect(kekOfKey(read({ KEK: lines }))('level.3')).toEqual({
    provider: 'env',
    name: 'levels',
  })
})

test('KEK_WRAPS says which wraps what, single levels too, which may share that of open', () => {
  const said = 'sign=file:sign, link=file:link, open=file:low, levels=file:levels, level.0=file:low'
  const of = kekOfKey(read({ KEK_FILE: four, KEK_WRAPS: said }))
  expect([of('open').name, of('level.0').name, of('level.1').name]).toEqual([
    'low',
    'low',
    'levels',
  ])
})

test('while keys move to Vault, what wraps is said, and the file still counts', () => {
  const settings = read({ KEK_FILE: four, ...vault, KEK_WRAPS: vaultKeys })
  expect(kekOfKey(settings)('level.2')).toEqual({ provider: 'vault', name: 'l' })
})

test('one KEK for all wrapping keys takes KEK_SINGLE=true', () => {
  const only = kekOfKey(read({ KEK_FILE: one, KEK_SINGLE: 'true' }))
  expect(only('open')).toEqual({ provider: 'file', name: 'weir' })
  const said = { ...vault, KEK_SINGLE: 'true', KEK_WRAPS: 'vault:weir' }
  expect(kekOfKey(read(said))('sign')).toEqual({ provider: 'vault', name: 'weir' })
})

const APART = 'KEK_WRAPS is wrong: sign, link, open and levels must have four different KEKs'
const UNSAID = 'KEK_WRAPS is wrong: the available KEKs are not named sign, link, open and levels'

test.each([
  ['nothing', () => ({}), 'KEK_FILE is wrong: one of KEK_FILE, KEK and VAULT_ADDR must be set'],
  ['one KEK for all', () => ({ KEK_FILE: one }), APART],
  [
    'one that is said for all',
    () => ({ ...vault, KEK_WRAPS: 'vault:weir' }),
    'KEK_SINGLE=true allows one for all',
  ],
  ...['link=file:sign', 'levels=file:open', 'open=file:link'].map((same) => {
    const rest = `sign=file:sign,link=file:link,open=file:open,levels=file:levels`
    const kind = same.slice(0, same.indexOf('='))
    const wraps = rest.replace(new RegExp(`${kind}=file:${kind}`), same)
    return [wraps, () => ({ KEK_FILE: four, KEK_WRAPS: wraps }), APART] as const
  }),
  [
    'a level under the KEK of link',
    () => ({
      KEK_FILE: four,
      KEK_WRAPS:
        'sign=file:sign,link=file:link,open=file:open,levels=file:levels,level.1=file:link',
    }),
    APART,
  ],
  ['two names', () => ({ KEK_FILE: two }), UNSAID],
  ['Vault alone', () => vault, UNSAID],
  ['a file and a variable', () => ({ KEK_FILE: one, KEK: `main 1 ${KEY}` }), UNSAID],
  [
    'a KEK that is not there',
    () => ({ KEK_FILE: two, KEK_WRAPS: 'file:lower' }),
    'KEK_WRAPS is wrong: it names a KEK that',
  ],
  [
    'Vault without its address',
    () => ({ KEK_FILE: four, KEK_WRAPS: vaultKeys }),
    'KEK_WRAPS is wrong: it names a KEK that',
  ],
  ...[
    'file:low,file:high',
    'sign=file:low,open=file:low',
    'file:low,open=file:low,open=file:high',
    'file',
    'file:low,level.256=file:high',
  ].map(
    (wraps) =>
      [
        wraps,
        () => ({ KEK_FILE: two, KEK_WRAPS: wraps, KEK_SINGLE: 'true' }),
        'KEK_WRAPS is wrong: it must name a KEK for each kind of wrapping key',
      ] as const,
  ),
  [
    'Vault without a login',
    () => ({ VAULT_ADDR: 'https://vault', KEK_WRAPS: vaultKeys }),
    'VAULT_ADDR is wrong: it needs VAULT_TOKEN_FILE or VAULT_KUBERNETES_ROLE, and not both',
  ],
  [
    'both logins',
    () => ({ ...vault, VAULT_KUBERNETES_ROLE: 'weir', KEK_WRAPS: vaultKeys }),
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

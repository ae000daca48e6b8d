// The combined sources of KEKs. An error names the wrong setting and shows no key. Keys can move from one source to
// another.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'
import { kekFields } from '../../src/kek/kek-settings.ts'
import type { KekSettings } from '../../src/kek/kek-settings.ts'
import { loadKek } from '../../src/kek/load-kek.ts'

const KEY = 'ab'.repeat(32)
const recordKey = '_ring/open/1'
const wrappingKey = Buffer.alloc(32, 7)
const weir = (provider: string) => () => ({ provider, name: 'weir' })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kek-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const settings = (env: Record<string, string>): KekSettings =>
  loadConfig<KekSettings>(z.object(kekFields), env)
const fileWith = async (text: string): Promise<string> => {
  const file = join(folder, 'kek')
  await writeFile(file, text)
  return file
}

test('a good file gives a provider that opens what it has wrapped', async () => {
  const file = await fileWith(`weir 1 ${KEY}\n`)
  const kek = await loadKek(settings({ KEK_FILE: file }), weir('file'))
  const { kek: name, wrapped } = await kek.wrap(recordKey, wrappingKey)
  expect(name).toBe('file:weir:1')
  expect(await kek.unwrap(recordKey, name, wrapped)).toEqual(wrappingKey)
})

test.each([
  ['empty', '\n', 'there is no KEK'],
  ['short', 'weir 1 00aa55ff', 'KEK line 1'],
  ['not lines of three words', 'my secret key material', 'KEK line 1'],
])('a file that is %s is refused by the name of the setting', async (_, text, reason) => {
  const file = await fileWith(text)
  const refused = loadKek(settings({ KEK_FILE: file }))
  await expect(refused).rejects.toMatchObject({ code: 'control-state.kek_file_invalid' })
  await expect(refused).rejects.toThrow(`KEK_FILE names the file ${file}`)
  await expect(refused).rejects.toThrow(reason)
  await expect(refused).rejects.not.toThrow(/00aa55ff|material/)
})

test('so is a file that is not there', async () => {
  const missing = settings({ KEK_FILE: join(folder, 'nothing') })
  await expect(loadKek(missing)).rejects.toThrow('KEK_FILE names the file')
})

test('a version that comes into the file while the service runs wraps and unwraps from then on', async () => {
  const file = await fileWith(`weir 1 ${KEY}\n`)
  const kek = await loadKek(settings({ KEK_FILE: file }), weir('file'))
  const old = await kek.wrap(recordKey, wrappingKey)
  await fileWith(`weir 1 ${KEY}\nweir 2 ${'cd'.repeat(32)}\n`)
  const young = await kek.wrap(recordKey, wrappingKey)
  expect(young.kek).toBe('file:weir:2')
  for (const { kek: id, wrapped } of [old, young])
    expect(await kek.unwrap(recordKey, id, wrapped)).toEqual(wrappingKey)
})

test('a version that left the file unwraps nothing any more', async () => {
  const file = await fileWith(`weir 1 ${KEY}\nweir 2 ${'cd'.repeat(32)}\n`)
  const kek = await loadKek(settings({ KEK_FILE: file }), weir('file'))
  const { kek: id, wrapped } = await kek.wrap(recordKey, wrappingKey)
  await fileWith(`weir 1 ${KEY}\n`)
  await expect(kek.unwrap(recordKey, id, wrapped)).rejects.toThrow('not available')
})

test('lines of the variable KEK are KEKs of the provider env', async () => {
  const kek = await loadKek(settings({ KEK: `# two\nweir 1 ${KEY}\n` }), weir('env'))
  const { kek: id, wrapped } = await kek.wrap(recordKey, wrappingKey)
  expect(id).toBe('env:weir:1')
  expect(await kek.unwrap(recordKey, id, wrapped)).toEqual(wrappingKey)
})

test('with both set up, what the one wrapped opens while the other wraps', async () => {
  const file = await fileWith(`weir 1 ${KEY}\n`)
  const before = await loadKek(settings({ KEK_FILE: file }), weir('file'))
  const old = await before.wrap(recordKey, wrappingKey)
  const both = settings({ KEK_FILE: file, KEK: `weir 1 ${'cd'.repeat(32)}` })
  const moving = await loadKek(both, weir('env'))
  expect(await moving.unwrap(recordKey, old.kek, old.wrapped)).toEqual(wrappingKey)
  expect((await moving.wrap(recordKey, wrappingKey)).kek).toBe('env:weir:1')
  const after = await loadKek(settings({ KEK: `weir 1 ${'cd'.repeat(32)}` }))
  await expect(after.unwrap(recordKey, old.kek, old.wrapped)).rejects.toThrow(
    'no KEKs of the provider file are configured here',
  )
})

test('a KEK is there as long as its line is; of a provider that is not set up nobody can tell', async () => {
  const file = await fileWith(`weir 1 ${KEY}\nweir 2 ${'cd'.repeat(32)}\n`)
  const kek = await loadKek(settings({ KEK_FILE: file }), weir('file'))
  const ids = ['file:weir:1', 'file:weir:2', 'file:weir:3']
  const has = async () => Promise.all(ids.map((id) => kek.has(id)))
  expect(await has()).toEqual([true, true, false])
  expect(await kek.held()).toEqual(['file:weir:1', 'file:weir:2'])
  await fileWith(`weir 2 ${'cd'.repeat(32)}\n`)
  expect(await has()).toEqual([false, true, false])
  expect(await kek.held()).toEqual(['file:weir:2'])
  for (const [id, setting] of [
    ['env:weir:1', 'set KEK until it is'],
    ['vault:weir:1', 'set VAULT_ADDR until it is'],
    ['cloud:weir:1', 'its provider is unknown'],
  ] as const)
    await expect(kek.has(id)).rejects.toThrow(`whether ${id} still exists is unknown: ${setting}`)
  await rm(file)
  await expect(kek.has('file:weir:1')).rejects.toThrow('KEK_FILE names the file')
  await expect(kek.held()).rejects.toThrow('KEK_FILE names the file')
})

test('each wrapping key is wrapped by the KEK that is said for it', async () => {
  const file = await fileWith(`low 1 ${KEY}\nhigh 1 ${'cd'.repeat(32)}\n`)
  const kek = await loadKek(settings({ KEK_FILE: file }), (name) => ({
    provider: 'file',
    name: name === 'level.2' ? 'high' : 'low',
  }))
  expect((await kek.wrap('_ring/level.2/1', wrappingKey)).kek).toBe('file:high:1')
  expect((await kek.wrap('_ring/open/1', wrappingKey)).kek).toBe('file:low:1')
})

test('a Vault that does not answer is told by what to look at, without the token', async () => {
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, 'hvs.a-token-of-vault')
  const vault = settings({ VAULT_ADDR: 'http://127.0.0.1:1', VAULT_TOKEN_FILE: tokenFile })
  const kek = await loadKek(vault, weir('vault'))
  const refused = await kek
    .unwrap(recordKey, 'vault:weir:1', Buffer.from('vault:v1:AAAA'))
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'control-state.kms_unavailable',
    message: 'Vault: nothing listens there; see VAULT_ADDR (ECONNREFUSED)',
  })
  expect(inspect(refused, { depth: 9 })).not.toContain('hvs.')
})

test.each(['vault:weir/../other:1', 'vault:weir', 'vault::1'])(
  'a record that names the KEK %s is not asked for at all',
  async (id) => {
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, 'hvs.a-token-of-vault')
    const vault = settings({ VAULT_ADDR: 'http://127.0.0.1:1', VAULT_TOKEN_FILE: tokenFile })
    const kek = await loadKek(vault)
    await expect(kek.unwrap(recordKey, id, Buffer.alloc(0))).rejects.toMatchObject({
      code: 'control-state.kms_refused',
    })
  },
)

// Whatever is wrong with the file of the KEKs is told by the setting that names it, and no key is shown.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadKek } from '../src/load-kek.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kek-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const fileWith = async (text: string): Promise<string> => {
  const file = join(folder, 'kek')
  await writeFile(file, text)
  return file
}

test('a good file gives a provider that opens what it has wrapped', async () => {
  const kek = await loadKek(await fileWith(`weir 1 ${'ab'.repeat(32)}\n`))
  const { kek: name, wrapped } = await kek.wrap('record', Buffer.from('ring'))
  expect(name).toBe('file:weir:1')
  expect((await kek.unwrap('record', name, wrapped)).toString()).toBe('ring')
})

test.each([
  ['empty', '\n', 'there is no KEK'],
  ['short', 'weir 1 00aa55ff', 'KEK line 1'],
  ['not lines of three words', 'my secret key material', 'KEK line 1'],
])('a file that is %s is refused by the name of the setting', async (_, text, reason) => {
  const file = await fileWith(text)
  const refused = loadKek(file)
  await expect(refused).rejects.toMatchObject({ code: 'kek_file_invalid' })
  await expect(refused).rejects.toThrow(`KEK_FILE names the file ${file}`)
  await expect(refused).rejects.toThrow(reason)
  await expect(refused).rejects.not.toThrow(/00aa55ff|material/)
})

test('so is a file that is not there', async () => {
  await expect(loadKek(join(folder, 'nothing'))).rejects.toThrow('KEK_FILE names the file')
})

// Files that settings name: an error says which setting to put right, and nothing of what is in a file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { z } from 'zod'

import { loadConfig, optionalFilePath, port, readSettingFile, readTls } from '../src/index.ts'
import { tlsRule } from '../src/index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kit-'))
  await writeFile(join(folder, 'cert'), 'certificate')
  await writeFile(join(folder, 'key'), 'private')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a file that is not there is told by the name of its setting, its path and why', async () => {
  const path = join(folder, 'nothing')
  await expect(readSettingFile('KEK_FILE', path)).rejects.toMatchObject({
    code: 'setting_file_unreadable',
    message: `KEK_FILE names the file ${path}, which can't be read (ENOENT)`,
  })
  await expect(readSettingFile('KEK_FILE', folder)).rejects.toThrow('EISDIR')
})

test('certificate and key are read together; without them there is no TLS', async () => {
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert'), join(folder, 'key')]
  await expect(readTls({ TLS_CERT_FILE, TLS_KEY_FILE })).resolves.toEqual({
    tls: { cert: Buffer.from('certificate'), key: Buffer.from('private') },
  })
  await expect(readTls({})).resolves.toEqual({})
  const lost = readTls({ TLS_CERT_FILE, TLS_KEY_FILE: join(folder, 'lost') })
  await expect(lost).rejects.toThrow('TLS_KEY_FILE names the file')
})

test('one of the two alone is refused, together with whatever else is wrong', () => {
  const schema = z
    .object({ PORT: port(), TLS_CERT_FILE: optionalFilePath(), TLS_KEY_FILE: optionalFilePath() })
    .refine(...tlsRule)
  for (const wrong of [{ TLS_CERT_FILE: '/c' }, { TLS_KEY_FILE: '/k' }]) {
    expect(() => loadConfig(schema, { PORT: '1', ...wrong })).toThrow('- TLS_KEY_FILE is wrong')
    expect(() => loadConfig(schema, { PORT: 'x', ...wrong })).toThrow(
      /- PORT is wrong.*\n- TLS_KEY_FILE is wrong/,
    )
  }
})

// Files that settings name. An error says which setting to correct, and shows no contents of the file.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { z } from 'zod'

import {
  listenerTlsFields,
  loadConfig,
  port,
  readSettingFile,
  withListenerTlsRules,
} from '../../src/index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kit-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a file that is not there is told by the name of its setting, its path and why', async () => {
  const path = join(folder, 'nothing')
  await expect(readSettingFile('KEK_FILE', path)).rejects.toMatchObject({
    code: 'kit.setting_file_unreadable',
    message: `KEK_FILE names the file ${path}, which can't be read (ENOENT)`,
  })
  await expect(readSettingFile('KEK_FILE', folder)).rejects.toThrow('EISDIR')
})

test('one of the two alone is refused, together with whatever else is wrong', () => {
  const schema = withListenerTlsRules(z.object({ PORT: port(), ...listenerTlsFields }))
  for (const wrong of [{ TLS_CERT_FILE: '/c' }, { TLS_KEY_FILE: '/k' }]) {
    expect(() => loadConfig(schema, { PORT: '1', ...wrong })).toThrow('- TLS_KEY_FILE is wrong')
    expect(() => loadConfig(schema, { PORT: 'x', ...wrong })).toThrow(
      /- PORT is wrong.*\n- TLS_KEY_FILE is wrong/,
    )
  }
})

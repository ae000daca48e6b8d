// Creates files in place of those that an environment names, so that a service's config.ts can read them: a KEK file, a
// certificate with its key, and secrets.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { makeKekFiles } from '@weir/devstack'

export type StandInFiles = {
  /** Returns the environment with each file's path replaced. */
  in(env: Readonly<Record<string, string>>): Record<string, string>
  remove(): Promise<void>
}

export async function makeStandInFiles(): Promise<StandInFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-files-'))
  const path = (name: string) => join(folder, name)
  await makeKekFiles(folder)
  await writeFile(path('secret'), 'a-secret-of-32-characters-length')
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=weir'.split(' ')
  const files = ['-keyout', path('key.pem'), '-out', path('cert.pem')]
  await promisify(execFile)('openssl', [...request, ...files])
  return {
    in: (env) =>
      Object.fromEntries(
        Object.entries(env).map(([key, value]) => [
          key,
          key.endsWith('_FILE') ? path(standInOf(key)) : value,
        ]),
      ),
    remove: () => rm(folder, { recursive: true }),
  }
}

function standInOf(key: string): string {
  if (key === 'KEK_FILE') return 'kek-auth'
  if (/(CERT|CA)_FILE$/.test(key)) return 'cert.pem'
  return key.endsWith('TLS_KEY_FILE') ? 'key.pem' : 'secret'
}

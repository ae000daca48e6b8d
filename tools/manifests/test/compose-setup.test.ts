// The secrets that `docker compose up` creates first. As in the container, only root may change the owner of files.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'

import { REPOSITORY } from '@weir/devstack'

// The test starts processes.
jest.setTimeout(60_000)

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-setup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const setUp = (): Promise<unknown> => {
  const entry = join(REPOSITORY, 'tools/devstack/src/compose/setup.ts')
  return run(process.execPath, [entry, folder, join(folder, 'run')], { env: { NODE_OPTIONS: '' } })
}

const keepsSecrets = async (): Promise<void> => {
  await run('mkdir', [join(folder, 'run')])
  await setUp()
  const first = await readFile(join(folder, '.weir/kek-auth'), 'utf8')
  await setUp()
  for (const [name, path] of [
    ['auth/kek', 'kek-auth'],
    ['auth/platform-key', 'platform-key'],
    ['ingest/kek', 'kek-ingest'],
    ['output/kek', 'kek-output'],
  ] as const) {
    const own = await readFile(join(folder, '.weir', path), 'utf8')
    expect(await readFile(join(folder, 'run', name), 'utf8')).toBe(own)
    const copy = await stat(join(folder, 'run', name))
    expect([copy.uid, copy.mode & 0o777]).toEqual([65_532, 0o400])
  }
  expect(await readFile(join(folder, '.weir/kek-auth'), 'utf8')).toBe(first)
}

/** Without root, the setup must leave no secrets that the services can't read. */
async function tellsWhoIsNotRoot(): Promise<void> {
  await run('mkdir', [join(folder, 'run')])
  await expect(setUp()).rejects.toThrow('EPERM')
}

test(
  'a second start leaves the secrets of the first, for you and for the services; only root may',
  isRoot ? keepsSecrets : tellsWhoIsNotRoot,
)

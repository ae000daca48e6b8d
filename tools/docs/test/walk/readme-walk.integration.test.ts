// The README's walk, pasted into a terminal as it stands there, against services of this test's own: when a command of it
// breaks, takes the next pasted line for itself, or prints something else than the README shows, this fails.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { REPOSITORY } from '@weir/devstack'
import { freshName, setting, startWorld } from '@weir/testkit'
import { blocksOf, comparable, pasteIntoTerminal } from '../../src/walk/walk.ts'
import type { World } from '@weir/testkit'

const BLOCK_MS = 60_000

const account = freshName('walk')
let world: World
let folder: string

beforeAll(async () => {
  world = await startWorld()
  folder = await makeFolder(world)
}, 120_000)

afterAll(async () => {
  await world?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}, 60_000)

test(
  'every command of the walk, pasted into a terminal at once, prints what the README shows',
  async () => {
    const blocks = blocksOf(await readDocument('README.md'), '## A walk by hand')
    expect(blocks.length).toBeGreaterThan(8)

    const printed = await pasteIntoTerminal(
      blocks.map(({ commands }) => asHere(commands)),
      { cwd: folder, env: readersEnvironment(), blockMs: BLOCK_MS },
    )

    for (const [index, { commands, output = '' }] of blocks.entries()) {
      const seen = { commands, printed: comparable(asInReadme(printed[index] ?? '')) }
      expect(seen).toEqual({ commands, printed: comparable(output) })
    }
  },
  15 * BLOCK_MS,
)

test('what the walk leaves with a secret in it is for its owner alone', async () => {
  const secrets = /weir_[\w-]{43}|clientSecret/
  for (const name of await readdir(join(folder, '.weir'))) {
    const file = join(folder, '.weir', name)
    if (!secrets.test(await readFile(file, 'utf8'))) continue
    expect([name, ((await stat(file)).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
})

/** What a reader's clone looks like after `npm start`, with the addresses of this test's services. */
async function makeFolder({ auth, ingest, output }: World): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'weir-walk-'))
  for (const name of ['examples', 'node_modules', 'package.json'])
    await symlink(join(REPOSITORY, name), join(made, name))
  await mkdir(join(made, '.weir'))
  await writeFile(join(made, '.weir', 'platform-key'), `${setting('PLATFORM_KEY')}\n`)
  const addresses = { authUrl: auth.url, ingestUrl: ingest.url, outputUrl: output.url }
  await writeFile(
    join(made, '.weir', 'demo.json'),
    JSON.stringify({ ...addresses, billingId: 'demo', streams: [] }),
  )
  return made
}

/** Nothing of the account or the settings of whoever runs the test. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env
  return {
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    HOME: folder,
    NPM_CONFIG_LOGLEVEL: 'error',
  }
}

const asHere = (commands: string): string =>
  commands.replaceAll('http://127.0.0.1:8082', world.ingest.url).replaceAll('acme', account)

/** Links lead to auth as clients see it. */
const asInReadme = (printed: string): string =>
  printed
    .replaceAll(account, 'acme')
    .replaceAll(String(world.env['AUTH_PUBLIC_URL']), 'http://127.0.0.1:8081')

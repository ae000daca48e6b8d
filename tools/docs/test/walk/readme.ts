// Pastes the README's walk into a terminal unchanged. Fails if a command breaks, consumes the next pasted line, or
// prints something other than the README shows.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { REPOSITORY } from '@weir/devstack'
import { compiledBefore } from '@weir/testkit'
import { blocksOf, comparable, pasteIntoTerminal } from '../../src/walk/walk.ts'
import type { DemoClone } from '../../src/walk/demo-clone.ts'

const BLOCK_MS = 60_000

export function readmeTests(clone: () => DemoClone): void {
  let folder: string

  beforeAll(async () => {
    folder = await makeFolder(clone())
  })

  afterAll(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  test(
    'every command of the walk, pasted into a terminal at once, prints what the README shows',
    async () => {
      const blocks = blocksOf(await readDocument('README.md'), '## A walk by hand')
      expect(blocks.length).toBeGreaterThan(8)

      const printed = await pasteIntoTerminal(
        blocks.map(({ commands }) => clone().asHere(commands)),
        { cwd: folder, env: readersEnvironment(folder), blockMs: BLOCK_MS },
      )

      for (const [index, { commands, output = '' }] of blocks.entries()) {
        const seen = { commands, printed: comparable(clone().asInDocument(printed[index] ?? '')) }
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
}

/** Creates a folder like a reader's clone after `npm start`, with the addresses of this test's services. */
async function makeFolder({ platformKey, everything }: DemoClone): Promise<string> {
  const { auth, ingest, output } = everything
  const made = await mkdtemp(join(tmpdir(), 'weir-walk-'))
  for (const name of ['examples', 'node_modules', 'package.json'])
    await symlink(join(REPOSITORY, name), join(made, name))
  await mkdir(join(made, '.weir'))
  await writeFile(join(made, '.weir', 'platform-key'), `${platformKey}\n`)
  const addresses = { authUrl: auth.url, ingestUrl: ingest.url, outputUrl: output.url }
  await writeFile(
    join(made, '.weir', 'demo.json'),
    JSON.stringify({ ...addresses, billingId: 'demo', streams: [] }),
  )
  return made
}

/** Returns an environment without account data or settings of the person who runs the test. */
function readersEnvironment(folder: string): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env
  return {
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    HOME: folder,
    NPM_CONFIG_LOGLEVEL: 'error',
    ...compiledBefore(),
  }
}

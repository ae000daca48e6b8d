// The guides, run as they stand there, each in its order, with everything running as `npm start` has it: when a command of one
// breaks, or prints something else than its reader is shown, this fails. What a guide makes, the next ones find.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  makeKekFile,
  makePlatformKey,
  runDemo,
  startEverything,
  type Everything,
} from '@weir/devstack'

import { readDocument } from '../src/docs.ts'
import { repositoryFiles } from '../src/site/sources.ts'
import { REPOSITORY } from '../src/test-run/tools.ts'
import { comparable, openShell, shBlocksOf, type Shell } from '../src/walk.ts'

const BLOCK_MS = 90_000

let folder: string
let everything: Everything
let shell: Shell
let addresses: readonly (readonly [documented: string, here: string])[]

const guides = (await repositoryFiles()).filter((file) => /^docs\/guide\/[^/]+\.md$/.test(file))
const withCommands: string[] = []
for (const guide of guides)
  if (shBlocksOf(await readDocument(guide)).length > 0) withCommands.push(guide)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-guides-'))
  await mkdir(join(folder, '.weir'))
  for (const name of ['examples', 'node_modules', 'package.json', 'packages'])
    await symlink(join(REPOSITORY, name), join(folder, name))
  // packages/testkit/ci/prepare.sh has installed what the guides say to install.
  await symlink(join(REPOSITORY, '.weir', 'venv'), join(folder, '.weir', 'python'))
  everything = await startWithDemo()
  const { stack, auth, ingest, output } = everything
  addresses = [
    ['127.0.0.1:9094', stack.analystBrokers ?? ''],
    ['http://127.0.0.1:8081', auth.url],
    ['http://127.0.0.1:8082', ingest.url],
    ['http://127.0.0.1:8083', output.url],
  ]
  shell = openShell({ cwd: folder, env: readersEnvironment(), blockMs: BLOCK_MS })
}, 300_000)

afterAll(async () => {
  shell?.close()
  await everything?.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

test('there are guides with commands', () => {
  expect(withCommands.length).toBeGreaterThan(3)
})

test.each(withCommands)(
  'every command of %s prints what its reader is shown',
  async (guide) => {
    for (const { commands, output = '' } of shBlocksOf(await readDocument(guide))) {
      const shown = comparable(output)
      const isAsShown = (text: string) => comparable(asInGuide(text)).join() === shown.join()

      const printed = await shell.run(asHere(commands), isAsShown)

      const seen = { commands, printed: comparable(asInGuide(printed)) }
      expect(seen).toEqual({ commands, printed: shown })
    }
  },
  10 * BLOCK_MS,
)

const asHere = (commands: string): string =>
  addresses.reduce((text, [documented, here]) => text.replaceAll(documented, here), commands)

const asInGuide = (printed: string): string =>
  addresses.reduce((text, [documented, here]) => text.replaceAll(here, documented), printed)

async function startWithDemo(): Promise<Everything> {
  const KEK_FILE = join(folder, 'kek')
  const PLATFORM_KEY = makePlatformKey()
  await makeKekFile(KEK_FILE)
  const started = await startEverything({
    stack: { folder: join(folder, 'stack'), ports: 'free' },
    ports: 'free',
    env: { KEK_FILE, PLATFORM_KEY },
  })
  const { stack, auth, ingest, output } = started
  await runDemo({
    addresses: {
      authUrl: auth.url,
      ingestUrl: ingest.url,
      outputUrl: output.url,
      kafkaBrokers: stack.kafkaBrokers,
      analystBrokers: stack.analystBrokers ?? '',
      schemaRegistryUrl: stack.schemaRegistryUrl,
    },
    platformKey: PLATFORM_KEY,
    folder: join(folder, '.weir'),
    examplesFolder: join(REPOSITORY, 'examples'),
    print: () => {},
  })
  return started
}

/** Nothing of the account or the settings of whoever runs the test. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env
  const { auth, ingest } = everything
  return {
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    HOME: folder,
    NPM_CONFIG_LOGLEVEL: 'error',
    // For the examples in Python, which don't know where the demo is; the command does.
    WEIR_AUTH_URL: auth.url,
    WEIR_INGEST_URL: ingest.url,
  }
}

// What the README, docs/analysts.md and docs/export.md tell analysts to type, run as it stands there: kcat, Confluent's
// Python client, Kafka's console consumer, Kafka Connect, DuckDB and pandas, with everything running as `npm start` has it.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  freePort,
  makeKafkaTools,
  makeKekFile,
  makePlatformKey,
  runDemo,
  startEverything,
  type Everything,
} from '@weir/devstack'

import { readDocument } from '../src/docs.ts'
import { REPOSITORY } from '../src/test-run/tools.ts'
import { blocksOf, comparable, openShell, type Shell } from '../src/walk.ts'
import { exportTests } from './analysts/export.ts'

const BLOCK_MS = 90_000

const platformKey = makePlatformKey()
let folder: string
let everything: Everything
let shell: Shell
let addresses: readonly (readonly [documented: string, here: string])[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-analysts-'))
  await mkdir(join(folder, '.weir'))
  for (const name of ['examples', 'node_modules', 'package.json'])
    await symlink(join(REPOSITORY, name), join(folder, name))
  // packages/testkit/ci/prepare.sh has installed what the README says to install.
  await symlink(join(REPOSITORY, '.weir', 'venv'), join(folder, '.weir', 'python'))
  await makeKafkaTools(join(folder, 'kafka', 'bin'))
  everything = await startWithDemo()
  const { stack, auth } = everything
  addresses = [
    ['127.0.0.1:9094', stack.analystBrokers ?? ''],
    ['http://127.0.0.1:8081', auth.url],
    ['127.0.0.1:8183', `127.0.0.1:${await freePort()}`],
  ]
  shell = openShell({ cwd: folder, env: readersEnvironment(), blockMs: BLOCK_MS })
}, 300_000)

afterAll(async () => {
  shell?.close()
  await everything?.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

test(
  "kcat and Confluent's Python client read what the README shows, with the credentials of the demo",
  () => walk('README.md', '## Read with your own Kafka client'),
  4 * BLOCK_MS,
)

test(
  "Kafka's own console consumer reads as docs/analysts.md says",
  () => walk('docs/analysts.md', '## Java'),
  2 * BLOCK_MS,
)

test(
  'a sink of Kafka Connect reads as docs/analysts.md says',
  () => walk('docs/analysts.md', '## Kafka Connect'),
  2 * BLOCK_MS,
)

test(
  'an export is read by DuckDB and pandas as docs/export.md says',
  () => walk('docs/export.md', '## Parquet, DuckDB and pandas'),
  2 * BLOCK_MS,
)

test(
  'an export is lines of JSON, or CSV, as docs/export.md says',
  () => walk('docs/export.md', '## JSONL and CSV'),
  2 * BLOCK_MS,
)

describe('weir export', () => {
  exportTests(() => ({ everything, platformKey }))
})

/** Clients may say more than is shown, for instance what they will deprecate. */
async function walk(document: string, heading: string): Promise<void> {
  const blocks = blocksOf(await readDocument(document), heading)
  expect(blocks.length).toBeGreaterThan(0)
  for (const { commands, output = '' } of blocks) {
    const shown = comparable(output)
    const has = (printed: string) => shown.every((line) => comparable(printed).includes(line))
    const printed = await shell.run(asHere(commands), has)
    const lines = comparable(printed)
    const missing = shown.filter((line) => !lines.includes(line))
    expect({ commands, lines, missing }).toEqual({ commands, lines, missing: [] })
  }
}

const asHere = (commands: string): string =>
  addresses.reduce((text, [documented, here]) => text.replaceAll(documented, here), commands)

async function startWithDemo(): Promise<Everything> {
  const KEK_FILE = join(folder, 'kek')
  await makeKekFile(KEK_FILE)
  const started = await startEverything({
    stack: { folder: join(folder, 'stack'), ports: 'free' },
    ports: 'free',
    env: { KEK_FILE, PLATFORM_KEY: platformKey },
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
    platformKey,
    folder: join(folder, '.weir'),
    examplesFolder: join(REPOSITORY, 'examples'),
    print: () => {},
  })
  return started
}

/** Nothing of the account or the settings of whoever runs the test. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env
  const tools = join(folder, 'kafka', 'bin')
  return {
    PATH: [tools, dirname(process.execPath), PATH].join(delimiter),
    HOME: folder,
    NPM_CONFIG_LOGLEVEL: 'error',
  }
}

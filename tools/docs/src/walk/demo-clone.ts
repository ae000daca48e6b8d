// A reader's clone after `npm start`, for tests that run documents: Kafka and all services on free ports, the demo
// account, and shells in a folder that looks like the clone.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import {
  REPOSITORY,
  makeKekFiles,
  makePlatformKey,
  runDemo,
  secretsIn,
  startEverything,
} from '@weir/devstack'
import type { Everything } from '@weir/devstack'
import { compiledBefore } from '@weir/testkit'

import { openShell } from './walk.ts'
import type { WalkShell } from './walk.ts'

export type DemoClone = {
  readonly folder: string
  readonly everything: Everything
  readonly platformKey: string
  /** The shell has no account data or settings of the person who runs the test. */
  openShell(more?: {
    readonly env?: NodeJS.ProcessEnv
    /** The first folder in PATH. */
    readonly path?: string
  }): WalkShell
  /** Replaces the addresses in a document's commands by this clone's addresses. `asInDocument` does the reverse. */
  asHere(text: string): string
  asInDocument(text: string): string
  close(): Promise<void>
}

/** The maximum time for a block of commands in the shell. */
export const BLOCK_MS = 90_000

export async function openDemoClone(): Promise<DemoClone> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-clone-'))
  const platformKey = makePlatformKey()
  await lookLikeClone(folder)
  const everything = await startWithDemo(folder, platformKey)
  const { stack, auth, ingest, output } = everything
  const addresses = [
    ['127.0.0.1:9094', stack.analystBrokers ?? ''],
    ['http://127.0.0.1:8081', auth.url],
    ['http://127.0.0.1:8082', ingest.url],
    ['http://127.0.0.1:8083', output.url],
  ] as const
  const shells: WalkShell[] = []
  return {
    folder,
    everything,
    platformKey,
    openShell({ env, path } = {}) {
      const paths = [path, dirname(process.execPath), process.env['PATH']]
      const PATH = paths.filter((each) => each !== undefined).join(delimiter)
      const own = { PATH, HOME: folder, NPM_CONFIG_LOGLEVEL: 'error', ...compiledBefore(), ...env }
      const shell = openShell({ cwd: folder, env: own, blockMs: BLOCK_MS })
      shells.push(shell)
      return shell
    },
    asHere: (text) =>
      addresses.reduce((some, [documented, here]) => some.replaceAll(documented, here), text),
    asInDocument: (text) =>
      addresses.reduce((some, [documented, here]) => some.replaceAll(here, documented), text),
    async close() {
      for (const shell of shells) shell.close()
      await everything.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function lookLikeClone(folder: string): Promise<void> {
  await mkdir(join(folder, '.weir'))
  for (const name of ['examples', 'node_modules', 'package.json', 'packages', 'clients', 'tools'])
    await symlink(join(REPOSITORY, name), join(folder, name))
  // tools/testkit/ci/prepare.sh has installed what the documents say to install.
  await symlink(join(REPOSITORY, '.weir', 'venv'), join(folder, '.weir', 'python'))
}

async function startWithDemo(folder: string, platformKey: string): Promise<Everything> {
  await makeKekFiles(folder)
  const started = await startEverything({
    stack: { folder: join(folder, 'stack'), ports: 'free' },
    ports: 'free',
    env: {},
    envOf: secretsIn(folder, platformKey),
  })
  const { stack, auth, ingest, output } = started
  await runDemo({
    addresses: {
      authUrl: auth.url,
      ingestUrl: ingest.url,
      outputUrl: output.url,
      kafkaBrokers: stack.kafkaBrokers,
      analystBrokers: stack.analystBrokers ?? '',
    },
    platformKey,
    folder: join(folder, '.weir'),
    examplesFolder: join(REPOSITORY, 'examples'),
    print: () => {},
  })
  return started
}

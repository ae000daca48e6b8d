// The import rules are only worth something while dependency-cruiser reads the sources at all: with a
// parser that doesn't know TypeScript it sees nothing, and finds nothing wrong.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'
const TIMEOUT_MS = 60_000
const run = promisify(execFile)

type Summary = { totalCruised: number; violations: { from: string; rule: { name: string } }[] }

async function cruise(cwd: string): Promise<Summary> {
  const config = join(REPOSITORY, '.dependency-cruiser.cjs')
  const args = [join(REPOSITORY, CRUISER), '--config', config, '--output-type', 'json']
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(
    process.execPath,
    [...args, 'packages', 'services', 'clients', 'tools'],
    options,
  ).catch((failed: { stdout: string }) => failed)
  return JSON.parse(stdout).summary
}

test(
  'they see the sources of this repository',
  async () => {
    expect((await cruise(REPOSITORY)).totalCruised).toBeGreaterThan(100)
  },
  TIMEOUT_MS,
)

test(
  'two files whose types need each other break a rule',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-imports-'))
    const other = { a: 'b', b: 'a' }
    const rooms = [
      'packages/kit/src',
      'services/auth/src',
      'services/auth/src/api',
      'clients/cli/src',
      'tools/docs/src',
    ]
    for (const room of rooms)
      for (const [name, its] of Object.entries(other)) {
        await mkdir(join(folder, room), { recursive: true })
        const text = `import type { ${its} } from './${its}.ts'\nexport type ${name} = { readonly its: ${its} }\n`
        await writeFile(join(folder, room, `${name}.ts`), text)
      }

    const { violations } = await cruise(folder)

    const found = violations.map(({ rule, from }) => `${rule.name} ${dirname(from)}`)
    expect(new Set(found)).toEqual(new Set(rooms.map((room) => `no-cycle ${room}`)))
    await rm(folder, { recursive: true })
  },
  TIMEOUT_MS,
)

test.each([
  ['packages/kit/src/a.ts', '../../kafka/src/b.ts', 'kit-imports-nothing'],
  ['packages/tokens/src/a.ts', '../../control-state/src/b.ts', 'tokens-imports-kit'],
  ['packages/control-state/src/a.ts', '../../http2/src/b.ts', /^control-state-imports-/],
  ['packages/schema-registry/src/a.ts', '../../kafka/src/b.ts', 'schema-registry-imports-kit'],
  ['packages/http-api/src/a.ts', '../../kafka/src/b.ts', /^http-api-imports-/],
  // Only auth has what writes control state.
  ['services/ingest/src/a.ts', '../../auth/src/control/b.ts', 'no-service-to-service'],
  ['packages/kafka/src/a.ts', '../../../services/auth/src/b.ts', 'no-package-to-service'],
  ['services/auth/src/a.ts', '../../ingest/src/b.ts', 'no-service-to-service'],
  ['services/auth/src/a.ts', '../../../tools/testkit/src/b.ts', 'no-tools-in-production'],
  ['clients/node/src/a.ts', '../../../tools/devstack/src/b.ts', 'no-tools-in-production'],
  ['clients/node/src/a.ts', '../../../packages/kit/src/b.ts', 'driver-imports-nothing'],
  ['clients/console/web/a.ts', '../../../packages/kit/src/b.ts', 'console-imports-nothing'],
  ['packages/kit/src/a.ts', '../../../clients/node/src/b.ts', 'no-package-to-client'],
  ['packages/kit/src/a.ts', '../test/b.ts', 'no-src-to-test'],
  ['services/auth/src/a.ts', '../../../node_modules/kafkajs/b.ts', 'kafkajs-behind-kafka'],
  ['packages/fieldcrypt/src/a.ts', 'node:fs', 'pure-packages-do-no-io'],
  ['packages/kit/src/a.ts', './nowhere.ts', 'no-unresolvable'],
])(
  'a file %s that imports %s breaks a rule',
  async (file, imported, rule) => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-imports-'))
    const write = async (path: string, content: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    for (const room of ['services/output', 'packages/contracts', 'clients/cli', 'tools/bench'])
      await write(`${room}/src/fine.ts`, 'export const fine = 1\n')
    await write(file, `import { b } from '${imported}'\nexport const a: typeof b = b\n`)
    if (imported.endsWith('b.ts')) {
      await write(join(dirname(file), imported), 'export const b = 1\n')
    }

    const { violations } = await cruise(folder)

    const names = violations.map((violation) => violation.rule.name)
    expect(names).toContainEqual(expect.stringMatching(rule))
    await rm(folder, { recursive: true })
  },
  TIMEOUT_MS,
)

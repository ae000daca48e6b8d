// The import rules work only while dependency-cruiser can read the sources. Without a parser for TypeScript it finds no
// imports, and reports no errors.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, describe, expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'
const TIMEOUT_MS = 60_000
const run = promisify(execFile)

type Summary = { totalCruised: number; violations: { from: string; rule: { name: string } }[] }

const all = ['packages', 'services', 'clients', 'tools']

async function cruise(cwd: string, folders = all): Promise<Summary> {
  const config = join(REPOSITORY, '.dependency-cruiser.cjs')
  const args = [join(REPOSITORY, CRUISER), '--config', config, '--output-type', 'json']
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(process.execPath, [...args, ...folders], options).catch(
    (failed: { stdout: string }) => failed,
  )
  return JSON.parse(stdout).summary
}

test(
  'they see the sources of this repository',
  async () => {
    expect((await cruise(REPOSITORY, ['packages/kit'])).totalCruised).toBeGreaterThan(20)
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

test(
  'two folders that need each other break a rule, though no two files do',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-imports-'))
    const room = join(folder, 'services/auth/src')
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(room, path)), { recursive: true })
      await writeFile(join(room, path), text)
    }
    await write('one/low.ts', 'export const low = 1\n')
    await write('two/middle.ts', "export { low as middle } from '../one/low.ts'\n")
    await write('one/high.ts', "export { middle as high } from '../two/middle.ts'\n")
    await write('one/inner/inner.ts', "export { low as inner } from '../low.ts'\n")
    await write('one/outer.ts', "export { inner as outer } from './inner/inner.ts'\n")

    const { violations } = await cruise(folder, ['services'])

    const found = violations.map(({ rule, from }) => `${rule.name} ${from}`)
    expect(found.toSorted()).toEqual([
      'no-folder-cycle services/auth/src/one',
      'no-folder-cycle services/auth/src/two',
    ])
    await rm(folder, { recursive: true })
  },
  TIMEOUT_MS,
)

/** A folder, what a file in the folder imports, and the rule that forbids this. */
const forbidden = [
  ['packages/kit/src', '../../kafka/src/', 'kit-imports-nothing'],
  ['packages/docs/src', '../../kit/src/', 'docs-imports-nothing'],
  ['packages/contracts/src', '../../kafka/src/', 'contracts-imports-kit'],
  ['packages/fieldcrypt/src', '../../contracts/src/', 'fieldcrypt-imports-kit'],
  ['packages/kafka/src', '../../contracts/src/', 'kafka-imports-kit'],
  ['packages/http2/src', '../../kafka/src/', 'http2-imports-kit'],
  ['packages/trace/src', '../../kafka/src/', 'trace-imports-kit'],
  ['packages/tokens/src', '../../control-state/src/', 'tokens-imports-kit'],
  ['packages/control-state/src', '../../http2/src/', /^control-state-imports-/],
  ['packages/schema-registry/src', '../../kafka/src/', 'schema-registry-imports-kit'],
  ['packages/http-api/src', '../../kafka/src/', /^http-api-imports-/],
  // Only auth may contain code that writes control state.
  ['services/ingest/src', '../../auth/src/control/', 'no-service-to-service'],
  ['packages/kafka/src', '../../../services/auth/src/', 'no-package-to-service'],
  ['services/auth/src', '../../ingest/src/', 'no-service-to-service'],
  ['services/auth/src', '../../../clients/cli/src/', 'no-service-to-client'],
  ['services/auth/src', '../../../tools/testkit/src/', 'no-tools-in-production'],
  ['clients/node/src', '../../../tools/devstack/src/', 'no-tools-in-production'],
  ['clients/node/src', '../../../packages/kit/src/', 'driver-imports-nothing'],
  ['clients/cli/src', '../../../packages/contracts/src/', 'no-client-to-private-package'],
  ['clients/cli/test', '../../../packages/kafka/src/', 'no-client-to-kafka-package'],
  ['clients/console/web', '../../../packages/kit/src/', 'console-imports-nothing'],
  ['packages/kit/src', '../../../clients/node/src/', 'no-package-to-client'],
  ['packages/kit/src', '../test/', 'no-src-to-test'],
  ['services/auth/src', '../../../node_modules/kafkajs/', 'kafka-libraries-behind-kafka'],
  ['packages/kafka/src', '../../../node_modules/kafkajs/', 'no-kafkajs-in-sources'],
  ['clients/node/src', '../../../node_modules/kafkajs/', 'no-kafkajs-in-sources'],
  [
    'services/auth/src',
    '../../../node_modules/@platformatic/kafka/',
    'kafka-libraries-behind-kafka',
  ],
  ['packages/fieldcrypt/src', 'node:fs', 'pure-packages-do-no-io'],
  ['packages/kit/src', './nowhere.ts', 'no-unresolvable'],
] as const

describe('each of these breaks a rule', () => {
  const broken = new Map<string, string[]>()

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-imports-'))
    const write = async (path: string, content: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    for (const room of ['services/output', 'packages/contracts', 'clients/cli', 'tools/bench'])
      await write(`${room}/src/fine.ts`, 'export const fine = 1\n')
    for (const [at, [room, imported]] of forbidden.entries()) {
      const target = imported.endsWith('/') ? `${imported}b${at}.ts` : imported
      const from = `import { b } from '${target}'\nexport const a: typeof b = b\n`
      await write(join(room, `a${at}.ts`), from)
      if (target !== imported) await write(join(room, target), 'export const b = 1\n')
    }
    for (const { rule, from } of (await cruise(folder)).violations)
      broken.set(from, [...(broken.get(from) ?? []), rule.name])
    await rm(folder, { recursive: true })
  }, TIMEOUT_MS)

  test.each(forbidden.map(([room, imported, rule], at) => ({ room, imported, rule, at })))(
    'a file in $room that imports $imported',
    ({ room, rule, at }) => {
      expect(broken.get(`${room}/a${at}.ts`)).toContainEqual(expect.stringMatching(rule))
    },
  )

  test('and nothing else does', () => {
    const named = forbidden.map(([room], at) => `${room}/a${at}.ts`)
    // some violations name folders that import each other, not files
    const files = [...broken.keys()].filter((from) => from.endsWith('.ts'))
    expect(files.toSorted()).toEqual(named.toSorted())
  })
})

// Runs the images' steps in a clean folder without a container engine: the Dockerfile's COPY and RUN. Then runs the
// images' commands as a user without write permission, with a real Kafka.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, chmod, copyFile, chown } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { REPOSITORY, freePort } from '@weir/devstack'
import { kekFileOf, setting } from '@weir/testkit'

import { metricsOf } from '../src/code/metrics.ts'
import { SERVICES } from '../src/code/settings.ts'
import type { ServiceName } from '@weir/devstack'
import { at, objectsOf, manifestTextAt } from '../src/json.ts'
import { buildStage } from '../src/manifests/build-stage.ts'
import { copyContext } from '../src/manifests/docker-context.ts'
import { configOf, readDockerfile } from '../src/manifests/dockerfile.ts'

const run = promisify(execFile)
const stages = readDockerfile(await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8'))
/** Only root can change the user. For other users the test only removes the permission to write. */
const nobody = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {}

let folder = ''
let weir = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-image-'))
  await chmod(folder, 0o755)
  await copyContext(join(folder, 'context'))
  const build = { stages, folder: join(folder, 'stages'), context: join(folder, 'context') }
  weir = join(await buildStage(build, 'services'), 'weir')
  await run('chmod', ['-R', 'a-w', weir])
  // The original may be in a folder that other users can't read.
  await copyFile(process.execPath, node())
  for (const service of SERVICES) {
    const copy = kekCopyOf(service)
    await copyFile(kekFileOf(service), copy)
    if (nobody.uid !== undefined) await chown(copy, nobody.uid, nobody.gid)
  }
}, 300_000)
afterAll(async () => {
  await run('chmod', ['-R', 'u+w', folder])
  await rm(folder, { recursive: true, force: true })
})

const node = (): string => join(folder, 'node')
const kekCopyOf = (service: ServiceName): string => join(folder, `kek-${service}`)

const environment = (service: ServiceName, ports: { api: number; admin: number }) => ({
  ...configOf(stages, service).env,
  [`${service.toUpperCase()}_PORT`]: String(ports.api),
  [`${service.toUpperCase()}_ADMIN_PORT`]: String(ports.admin),
  KAFKA_BROKERS: setting('KAFKA_BROKERS'),
  KEK_FILE: kekCopyOf(service),
  ...(service === 'auth'
    ? {
        PLATFORM_KEY: setting('PLATFORM_KEY'),
        SCHEMA_REGISTRY_URL: setting('SCHEMA_REGISTRY_URL'),
      }
    : {}),
  // this output must not derive the other streams on this broker
  ...(service === 'output' ? { DECRYPTER_NAMES: 'images' } : {}),
})

/** Starts a command of an image, as the container engine would. */
function start(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const [, ...args] = command
  return spawn(node(), args, { cwd: weir, env, stdio: 'ignore', ...nobody })
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))

describe.each(SERVICES)('the image of %s', (service) => {
  test('starts without a right to write, is found healthy, shows the metrics of its source, and ends on SIGTERM', async () => {
    const ports = { api: await freePort(), admin: await freePort() }
    const env = environment(service, ports)
    const { command, healthCommand } = configOf(stages, service)
    const child = start(command, env)
    const exited = exitOf(child)
    try {
      const isHealthy = async () => (await exitOf(start(healthCommand, env))) === 0
      await pollUntil(isHealthy, { deadlineMs: 100_000, everyMs: 500, what: `${service} healthy` })
      const shown = await (await fetch(`http://127.0.0.1:${ports.admin}/metrics`)).text()
      const declared = [...(await metricsOf(service)).keys()].map((name) =>
        name.replace(/(_seconds|_records)_(bucket|sum|count)$/, '$1'),
      )
      expect(declared.filter((name) => !shown.includes(`# TYPE ${name} `))).toEqual([])
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toBe(0)
    expect(await exitOf(start(healthCommand, env))).toBe(1)
  }, 150_000)
})

test('its list of parts names every package that is in it, and none that is not', async () => {
  const list: unknown = JSON.parse(await readFile(join(weir, 'sbom.cdx.json'), 'utf8'))
  const components = objectsOf(at(list, 'components'))
  const named = components.map(
    (each) =>
      [manifestTextAt(each, 'group'), manifestTextAt(each, 'name')]
        .filter((part) => part !== '')
        .join('/') + `@${manifestTextAt(each, 'version')}`,
  )
  const stored = (await readdir(join(weir, 'node_modules/.pnpm'))).filter((name) =>
    name.includes('@'),
  )
  const present = stored.map((name) => (name.split('_')[0] ?? '').replace('+', '/'))
  const outside = named.filter((name) => !name.startsWith('@weir/'))
  expect(outside.sort()).toEqual([...new Set(present)].sort())
})

test('it holds the console as it is served, and not what that is built of', async () => {
  expect(await readdir(join(weir, 'clients/console'))).not.toContain('web')
  expect(await readdir(join(weir, 'clients/console/dist'))).toContain('index.html')
})

test('it holds the documents as pages, without a link that leads nowhere, and not as sources', async () => {
  const names = await readdir(weir)
  expect(names.filter((name) => /^(docs|k8s)$|\.md$/.test(name))).toEqual([])
  const pages = await readdir(join(weir, '.weir/site'))
  expect(pages).toEqual(expect.arrayContaining(['index.html', 'errors.html', 'search-index.js']))
})

test('it holds no tests, no tools and no development dependency', async () => {
  expect(await readdir(weir)).not.toContain('tools')
  const stored = await readdir(join(weir, 'node_modules/.pnpm'))
  expect(
    stored.filter((name) => /^(jest|typescript|oxlint|node-linux|vite|rolldown)/.test(name)),
  ).toEqual([])
})

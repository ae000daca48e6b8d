// The demo of docker-compose.yml. In its container the services have other addresses than on the host, but the created
// account works on the host. Needs root, as in the container, because only root may change the owner of a file.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY, freePort } from '@weir/devstack'
import { setting, startWorld } from '@weir/testkit'
import type { World } from '@weir/testkit'

import { at, objectsOf, manifestTextAt } from '../src/json.ts'

const run = promisify(execFile)

let checkout = ''
let world: World
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'weir-demo-'))
  await mkdir(join(checkout, '.weir'))
  await writeFile(join(checkout, '.weir/platform-key'), setting('PLATFORM_KEY'))
  world = await startWorld()
}, 200_000)
afterAll(async () => {
  await world?.stop()
  await rm(checkout, { recursive: true })
})

test('it shows an event on its whole way, and the account that it leaves is reached where you are', async () => {
  const addresses = [world.auth.url, world.ingest.url, world.output.url]
  const ports = [await freePort(), await freePort(), await freePort()]
  const passages = addresses.map((url, index) => `${ports[index]}=${new URL(url).host}`)
  const entry = join(REPOSITORY, 'tools/devstack/src/compose/demo.ts')
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await run(process.execPath, [entry, checkout, ...passages], { env })
  expect(stdout).toContain('As derived into demo-1, which decrypts level 1 and below')
  const demo: unknown = JSON.parse(await readFile(join(checkout, '.weir/demo.json'), 'utf8'))
  expect(manifestTextAt(demo, 'authUrl')).toBe(`http://127.0.0.1:${ports[0]}`)
  const [, first] = objectsOf(at(demo, 'streams'))
  expect(manifestTextAt(first, 'topic')).toBe('demo.demo-0')
}, 150_000)

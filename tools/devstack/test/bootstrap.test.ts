// The bootstrap from any Node version to the pinned one, in a fake checkout. npx is a script that records its
// arguments.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import { inTemporaryFolder } from './fixtures/temporary.ts'

const BIN = join(import.meta.dirname, '..', 'bin')

async function inCheckout(npxEndsWith: number, work: (root: string) => Promise<void>) {
  await inTemporaryFolder(async (root) => {
    await cp(BIN, join(root, 'tools', 'devstack', 'bin'), { recursive: true })
    await writeManifest(root, '1.0.0')
    const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    await mkdir(pinned, { recursive: true })
    await symlink(process.execPath, join(pinned, 'node'))
    const npx = join(root, 'npx')
    await writeFile(npx, `#!/bin/sh\necho "$*" >> '${root}/npx.log'\nexit ${npxEndsWith}\n`)
    await chmod(npx, 0o755)
    await work(root)
  })
}

function writeManifest(root: string, version: string) {
  const manifest = { type: 'module', version, packageManager: 'pnpm@9.8.7' }
  return writeFile(join(root, 'package.json'), JSON.stringify(manifest))
}

async function start(root: string, script: string, ...args: string[]) {
  await writeFile(join(root, 'entry.ts'), script)
  const bootstrap = join(root, 'tools', 'devstack', 'bin', 'bootstrap.js')
  const env = { PATH: `${root}:/usr/bin:/bin` }
  const child = spawn(process.execPath, [bootstrap, 'entry.ts', ...args], { env })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return {
    child,
    lines: createInterface({ input: child.stdout }),
    ended: once(child, 'close').then(([code]) => ({ code: Number(code), stderr })),
  }
}

async function npxCalls(root: string): Promise<string[]> {
  const log = await readFile(join(root, 'npx.log'), 'utf8').catch(() => '')
  return log.split('\n').filter((line) => line !== '')
}

test('it installs once, and again when a manifest has changed', () =>
  inCheckout(0, async (root) => {
    const install = '-y pnpm@9.8.7 install --frozen-lockfile'
    const run = async () => (await (await start(root, '')).ended).code

    expect([await run(), await run()]).toEqual([0, 0])
    expect(await npxCalls(root)).toEqual([install])

    await writeManifest(root, '1.0.1')
    expect(await run()).toBe(0)
    expect(await npxCalls(root)).toEqual([install, install])
  }))

test('arguments go to the entry, and its exit code comes back', () =>
  inCheckout(0, async (root) => {
    const script = 'process.exit(process.argv.slice(2).join() === "a,b c" ? 42 : 1)'
    const { ended } = await start(root, script, 'a', 'b c')
    expect((await ended).code).toBe(42)
  }))

test('when the dependencies cannot be installed it says so, and nothing runs', () =>
  inCheckout(7, async (root) => {
    const { ended } = await start(root, 'process.exit(0)')

    const { code, stderr } = await ended

    expect(code).toBe(1)
    expect(stderr).toContain('The dependencies could not be installed: pnpm@9.8.7 ended with 7')
  }))

test('SIGTERM goes to the entry, and bootstrap waits until it has ended', () =>
  inCheckout(0, async (root) => {
    const script = `process.on('SIGTERM', () => setTimeout(() => process.exit(3), 50))
      setInterval(() => {}, 1000)
      console.log('up')`
    const { child, lines, ended } = await start(root, script)
    await once(lines, 'line')

    child.kill('SIGTERM')

    expect((await ended).code).toBe(3)
  }))

test('the entry learns of the SIGKILL of bootstrap', () =>
  inCheckout(0, async (root) => {
    const script = `import { writeFileSync } from 'node:fs'
      process.on('disconnect', () => { writeFileSync('${root}/orphaned', ''); process.exit() })
      console.log('up')`
    const { child, lines } = await start(root, script)
    await once(lines, 'line')

    child.kill('SIGKILL')

    const orphaned = () => readFile(join(root, 'orphaned')).then(Boolean, () => false)
    expect(await pollUntil(orphaned, { deadlineMs: 60_000 })).toBe(true)
  }))

import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { afterEach, expect, test } from '@jest/globals'

import { delay, withTimeout } from '../src/index.ts'

const fixture = fileURLToPath(new URL('fixtures/service.ts', import.meta.url))
const DEADLINE_MS = 30_000
const children: ChildProcess[] = []
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')))

function start(mode: string) {
  const child = spawn(process.execPath, [fixture, mode], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  const seen = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => output.includes(text) && resolve()
      child.stdout.on('data', look)
      look()
    })
  const collect = (chunk: Buffer) => void (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    seen: (text: string) => withTimeout(seen(text), DEADLINE_MS, text),
    exit: () => withTimeout(exit, DEADLINE_MS, 'exit'),
    output: () => output,
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s runs the steps in order and exits 0',
  async (signal) => {
    const service = start('ok')
    await service.seen('started')
    service.kill(signal)
    expect(await service.exit()).toBe(0)
    expect(service.output()).toMatch(/first ran[^]*last ran[^]*stopped/)
  },
  60_000,
)

test('shutdown() does the same without a signal', async () => {
  const service = start('own')
  expect(await service.exit()).toBe(0)
  expect(service.output()).toContain('last ran')
})

test('a step over its own bound is left behind, the next ones run, and the exit code is 1', async () => {
  const service = start('step')
  await service.seen('started')
  service.kill('SIGTERM')
  expect(await service.exit()).toBe(1)
  // The lines may come in either order, because a line that the pipe doesn't accept immediately is written later.
  expect(service.output()).toContain('a shutdown step failed')
  expect(service.output()).toContain('last ran')
})

test('the whole bound ends the process with 1', async () => {
  const service = start('hang')
  await service.seen('started')
  service.kill('SIGTERM')
  expect(await service.exit()).toBe(1)
})

test('a second signal ends the process with 1, but the echo of the first does not', async () => {
  const service = start('second')
  await service.seen('started')
  service.kill('SIGINT')
  service.kill('SIGTERM')
  await service.seen('first ran')
  expect(service.output()).not.toContain('second signal')
  await delay(600)
  service.kill('SIGTERM')
  expect(await service.exit()).toBe(1)
  expect(service.output()).toContain('second signal')
})

test.each([
  ['throw', 'SyntaxError'],
  ['reject', 'Error'],
])(
  'an error nobody caught (%s) ends the process with 1 and is logged without its words',
  async (mode, name) => {
    const service = start(mode)
    expect(await service.exit()).toBe(1)
    expect(service.output()).toContain(`"name":"${name}"`)
    expect(service.output()).toContain('fixtures/service.ts')
    expect(service.output()).not.toContain('jane')
  },
  60_000,
)

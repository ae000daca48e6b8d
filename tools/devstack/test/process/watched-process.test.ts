import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import { identifyProcess, isRunning } from '../../src/process/process-identity.ts'
import type { ProcessIdentity } from '../../src/process/process-identity.ts'
import { startWatched } from '../../src/process/watched-process.ts'

const DEADLINE = { deadlineMs: 60_000 }

function start(script: string) {
  return startWatched({
    command: '/bin/sh',
    args: ['-c', script],
    env: process.env,
    cwd: '/',
    output: 'pipe',
    graceMs: 1000,
  })
}

function identityOf(pid: number): ProcessIdentity {
  const identity = identifyProcess(pid)
  if (identity === undefined) throw new Error(`process ${pid} does not run`)
  return identity
}

/** Starts a parent with a watched child that ignores the given signals. Resolves with the child. */
async function parentWithChild(ignored: string) {
  const parent = spawn(process.execPath, [
    join(import.meta.dirname, '../fixtures/watched-parent.ts'),
    ignored,
  ])
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const { pid, watcherPid } = JSON.parse(String(line))
  return { parent, child: identityOf(pid), watcher: identityOf(watcherPid) }
}

test('its exit code is passed on, and nothing of its group remains', async () => {
  const watched = await start('sleep 60 & exit 7')
  const watcher = watched.watcherPid

  await expect(watched.exited).resolves.toBe(7)

  expect(watched.hasExited()).toBe(true)
  await pollUntil(() => groupIsEmpty(watcher), DEADLINE)
})

test('stop asks with SIGTERM and says that it ended by itself, also when it was paused', async () => {
  const watched = await start("trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done")
  await Promise.race(watched.output.map((stream) => once(stream, 'data')))
  watched.signal('SIGSTOP')

  await expect(watched.stop(10_000)).resolves.toBe(true)
  await expect(watched.exited).resolves.toBe(0)
})

test('stop kills one that does not heed SIGTERM, and says so', async () => {
  const watched = await start("trap '' TERM; echo deaf; while :; do sleep 0.05; done")
  await Promise.race(watched.output.map((stream) => once(stream, 'data')))

  await expect(watched.stop(100)).resolves.toBe(false)
  await pollUntil(() => groupIsEmpty(watched.watcherPid), DEADLINE)
})

test('a command that does not exist is an error that names it', async () => {
  const watched = await startWatched({
    command: '/no/such/command',
    args: [],
    env: {},
    cwd: '/',
    output: 'pipe',
    graceMs: 1000,
  })
  await expect(watched.exited).resolves.toBe(127)
})

test.each(['', 'TERM'])(
  'a child that ignores "%s" ends when its parent was killed with SIGKILL',
  async (ignored) => {
    const { parent, child, watcher } = await parentWithChild(ignored)

    parent.kill('SIGKILL')

    await pollUntil(() => !isRunning(child) && !isRunning(watcher), DEADLINE)
    expect(await pollUntil(() => groupIsEmpty(watcher.pid), DEADLINE)).toBe(true)
  },
)

test("Ctrl-C in the parent's terminal, a signal to its group, does not reach the child", async () => {
  const watched = await start('ps -o pgid= -p $$; sleep 60')
  const [chunk] = await Promise.race(watched.output.map((stream) => once(stream, 'data')))

  expect(Number(String(chunk).trim())).toBe(watched.watcherPid)
  await watched.kill()
})

function groupIsEmpty(leader: number): boolean {
  try {
    process.kill(-leader, 0)
    return false
  } catch {
    return true
  }
}

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

const MODULE = join(import.meta.dirname, '../../src/process/machine-lock.ts')

let folder: string
const children: ReturnType<typeof spawn>[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-machine-test-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Starts a process that requests the lock, and prints a line when it has the lock. */
function start(what: string) {
  const script = `
    const { holdMachine } = await import(${JSON.stringify(MODULE)})
    await holdMachine(${JSON.stringify(what)}, { folder: ${JSON.stringify(folder)} })
    console.log('has it')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', WEIR_MACHINE_HELD: '' },
  })
  children.push(child)
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += String(chunk)))
  const says = (text: string) =>
    pollUntil(() => said.includes(text), { deadlineMs: 60_000, what: `${what}: ${text}` })
  return { child, says, said: () => said }
}

test('the second waits and says for whom, until the first ends, even by SIGKILL', async () => {
  const first = start('npm test')
  await first.says('has it')
  const second = start('npm run bench')
  await second.says(`Waiting for npm test in `)
  await second.says(`(process ${first.child.pid}) to end …`)
  expect(second.said()).not.toContain('has it')
  first.child.kill('SIGKILL')
  await second.says('has it')
})

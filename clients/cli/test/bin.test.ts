import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const bin = fileURLToPath(new URL('../bin/weir.js', import.meta.url))

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function weir(...args: readonly string[]): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, stdout, stderr }))
  return promise
}

test('the command runs from any folder by its path, with nothing but the result on stdout', async () => {
  expect(existsSync(bin)).toBe(true)
  expect(await weir('--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
})

test('its exit code is the one of the run', async () => {
  const { code, stdout, stderr } = await weir('strem')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('there is no command strem')
})

test('the line of the README puts `weir` on the PATH of a shell, as completion needs it', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const line = /^export PATH=.*$/m.exec(readme)?.[0] ?? ''
  const repository = fileURLToPath(new URL('../../..', import.meta.url))
  const { stdout } = spawnSync(
    'bash',
    ['-c', `${line}; source <(weir completion bash); complete -p weir`],
    {
      cwd: repository,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    },
  )
  expect(stdout).toMatch(/^complete .*weir\n$/)
})

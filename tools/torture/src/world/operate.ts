// Runs the backup tool as an operator does, with auth's settings and without the proxies.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import type { ServiceEnv } from '@weir/testkit'

const tool = join(REPOSITORY, 'services/auth/src/backup/main.ts')

/** Resolves with the tool's stdout. Rejects with its stderr if it fails. */
export type Operate = (args: readonly string[], input?: string) => Promise<string>

export const operateWith =
  (env: ServiceEnv): Operate =>
  async (args, input = '') => {
    const child = spawn(process.execPath, [tool, ...args], { env: { ...process.env, ...env } })
    let [output, complaint] = ['', '']
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.stdin.end(input)
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`the backup tool ended with ${String(code)}: ${complaint}`)
    return output
  }

// Programs in Python that share no code with Weir.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { REPOSITORY } from '@weir/devstack'

const python = join(REPOSITORY, '.weir/venv/bin/python')
const timeoutMs = 60_000

/** Runs a program of this folder to its end. Returns the lines of its output, which are JSON. */
export function runPython(script: string, input: object = {}): unknown[] {
  const { status, stdout, stderr } = spawnSync(python, [join(import.meta.dirname, script)], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    timeout: timeoutMs,
  })
  if (status !== 0) throw new Error(`${script} ended with ${String(status)}: ${stderr}`)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line): unknown => JSON.parse(line))
}

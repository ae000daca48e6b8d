// Runs Python programs for tests.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { REPOSITORY } from '@weir/devstack'

const python = join(REPOSITORY, '.weir/venv/bin/python')
const timeoutMs = 60_000

/** Runs a program, given by its path from this folder, to its end. Returns its lines of JSON, parsed. */
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

export type PythonProgram = {
  /** Sends a task as a line. Resolves with the next line of output. One task at a time. */
  ask(task: object): Promise<unknown>
  close(): void
}

/** Starts a program, in the same way, that responds to each line of JSON with a line of JSON. */
export function startPython(script: string): PythonProgram {
  const child = spawn(python, [join(import.meta.dirname, script)])
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdin.on('error', () => {}) // the program has ended, which `ask` reports
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(task) {
      child.stdin.write(`${JSON.stringify(task)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${script} ended: ${errors}`)
      return JSON.parse(value)
    },
    close: () => void child.kill('SIGKILL'),
  }
}

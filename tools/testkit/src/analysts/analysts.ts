// Runs analysts with Confluent's Python client. Each has one task, and reports the results.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pollUntil } from '@weir/kit'

export type Task = {
  /** `follow`: read in a group. `read`: read without a group. `topics`: list the topics. */
  readonly do: 'follow' | 'read' | 'write' | 'topics'
  readonly settings: Readonly<Record<string, string>>
  readonly topic?: string
}

export type Analyst = {
  /** The values of the received records in hex. */
  readonly records: readonly string[]
  /** librdkafka's error names; null for no error. */
  readonly errors: readonly (string | null)[]
  readonly topics: readonly string[]
  until(holds: (analyst: Analyst) => boolean, withinMs?: number): Promise<void>
}

export type Analysts = {
  start(task: Task): Analyst
  /** Ends all running clients, because a refused client retries forever. */
  stop(): void
  close(): void
}

const python = join(import.meta.dirname, '../../../../.weir/venv/bin/python')
const program = join(import.meta.dirname, 'analyst.py')

export function openAnalysts(): Analysts {
  const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'ignore'] })
  const all: { records: string[]; errors: (string | null)[]; topics: string[] }[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said: { id: number; record?: string; error?: string | null; topics?: string[] } =
      JSON.parse(line)
    const analyst = all[said.id]
    if (said.record !== undefined) analyst?.records.push(said.record)
    if (said.error !== undefined) analyst?.errors.push(said.error)
    if (said.topics !== undefined) analyst?.topics.push(...said.topics)
  })
  const tell = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`)
  return {
    stop: () => tell({ do: 'stop', id: all.length }),
    start(task) {
      const seen = { records: [], errors: [], topics: [] }
      const id = all.push(seen) - 1
      tell({ ...task, id })
      const analyst: Analyst = {
        ...seen,
        async until(holds, withinMs = 20_000) {
          const look = () => holds(analyst)
          await pollUntil(look, { deadlineMs: withinMs, everyMs: 20 }).catch((error: unknown) => {
            throw new Error(`the analyst has seen ${JSON.stringify(seen)}`, { cause: error })
          })
        },
      }
      return analyst
    },
    close: () => void child.kill('SIGKILL'),
  }
}

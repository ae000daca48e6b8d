// Runs h2spec, a third-party conformance suite for HTTP/2, against our listener, with or without TLS. Installing it
// needs Go.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenHttp } from '../src/index.ts'
import type { Tls } from '../src/index.ts'

const run = promisify(execFile)
const version = 'v2.2.1+incompatible'
const folder = join(import.meta.dirname, '../../../.weir/bin')
const program = join(folder, 'h2spec')

export type Report = { passed: number; failed: readonly string[] }

/** Returns the path, and installs h2spec if necessary. Throws if Go is needed and missing. */
export async function findH2spec(): Promise<string> {
  if (existsSync(program)) return program
  try {
    await run('go', ['version'])
  } catch (cause) {
    throw new Error('h2spec is missing, and so is Go, which installs it: put Go on the PATH', {
      cause,
    })
  }
  const source = `github.com/summerwind/h2spec/cmd/h2spec@${version}`
  await run('env', [`GOBIN=${folder}`, 'go', 'install', source])
  return program
}

export async function runH2spec(h2spec: string, tls?: Tls): Promise<Report> {
  const listener = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    ...(tls === undefined ? {} : { tls }),
    handler: async (request) => {
      const body = await request.body(1_048_576)
      return { status: 200, body: `read ${body?.length ?? 'too much'}` }
    },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  })
  try {
    const secure = tls === undefined ? [] : ['-t', '-k']
    const args = ['-h', '127.0.0.1', '-p', String(listener.port), '-o', '5', ...secure]
    return reportOf(await outputOf(h2spec, args))
  } finally {
    await listener.close(0)
  }
}

/** h2spec exits with 1 if a case fails. */
async function outputOf(h2spec: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(h2spec, args, { maxBuffer: 16 * 1_048_576 })).stdout
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout)
    throw error
  }
}

function reportOf(output: string): Report {
  const passed = /(\d+) tests, (\d+) passed/.exec(output)?.[2]
  if (passed === undefined) throw new Error(`h2spec did not finish: ${output.slice(-1_000)}`)
  const failures = output.split('\nFailures:')[1] ?? ''
  const failed = [...failures.matchAll(/× \d+: (.*)/g)].map(([, sentence = '']) => sentence)
  return { passed: Number(passed), failed }
}

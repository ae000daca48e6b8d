// Runs the static checks: format, lint, types, import directions, dead code. They are scripts of package.json. All of
// them run, even if one fails.

import packageJson from '../../../../package.json' with { type: 'json' }
import { runScript } from './tools.ts'

const SCRIPTS = ['fmt:check', 'lint', 'types', 'imports', 'deadcode'] as const
const AT_ONCE = 2

export type Tally = { passed: number; failed: number; skipped: number }

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 }

export async function runStaticChecks(signal: AbortSignal): Promise<Tally> {
  const waiting = [...SCRIPTS]
  const tally = { ...NOTHING }
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const ok = await runCheck(name, packageJson.scripts[name], signal)
      tally[ok ? 'passed' : 'failed'] += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return tally
}

async function runCheck(name: string, line: string, signal: AbortSignal): Promise<boolean> {
  const outcome = await runScript(line, { signal, output: 'collect' })
  const ok = outcome.code === 0
  console.log(`${name.padEnd(10)} ${ok ? 'ok' : 'failed'} (${outcome.seconds.toFixed(1)} s)`)
  if (!ok && !signal.aborted) console.log(outcome.output.trimEnd())
  return ok
}

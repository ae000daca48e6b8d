// Runs a replica of auth that is killed at a certain write (preload/die-at.ts).
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withTimeout } from '@weir/kit'
import type { ServiceEnv, World } from './services.ts'

const PRELOAD = join(import.meta.dirname, './preload/die-at.ts')
/** Far longer than any step takes, even an erasure in hundreds of transactions with pauses. */
const diesWithinMs = 600_000

type When = 'before' | 'between' | 'open' | 'after'

/**
 * Starts a replica of auth that dies when it writes a record that matches `step`. Calls `provoke` to cause this write,
 * and waits until the replica has died. If the replica continues unfinished work, it may die before it is ready. Then
 * `provoke` isn't called.
 * @throws Error if the replica ended in any other way, or did not end
 */
export async function dieAt(
  world: Pick<World, 'replica'>,
  step: { record: RegExp; when: When },
  provoke: (url: string) => Promise<unknown>,
): Promise<void> {
  const witness = join(tmpdir(), `weir-died-${randomUUID()}`)
  const env: ServiceEnv = {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    DIE_AT_RECORD: step.record.source,
    DIE_AT_WHEN: step.when,
    DIE_AT_WITNESS: witness,
  }
  const what = `dying at ${step.record.source} ${step.when}`
  const dying = await world.replica('auth', env).catch((error: unknown) => {
    if (!existsSync(witness)) throw error
  })
  if (dying !== undefined) {
    await provoke(dying.url).catch(() => undefined)
    await withTimeout(dying.exited, diesWithinMs, what)
  }
  if (!existsSync(witness)) throw new Error(`auth ended without ${what}`)
}

// What to start auth with so that it is killed at a step of its own writing: see torture/preload/die-at.ts.
import { join } from 'node:path'
import type { ServiceEnv } from './services.ts'

const PRELOAD = join(import.meta.dirname, '../torture/preload/die-at.ts')

export const dieAt = (
  record: RegExp,
  when: 'before' | 'between' | 'open' | 'after',
): ServiceEnv => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  DIE_AT_RECORD: record.source,
  DIE_AT_WHEN: when,
})

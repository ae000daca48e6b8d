// Services that live in another time: what to start them with.
import { join } from 'node:path'
import { ERA_MS } from '@weir/fieldcrypt'
import type { ServiceEnv } from './services.ts'

const preload = join(import.meta.dirname, '../torture/preload/shift-clock.ts')
const hourMs = 3_600_000

/** Ahead by so many ms, or behind. */
export const clockShiftedBy = (ms: number): ServiceEnv => ({
  NODE_OPTIONS: `--import=${preload}`,
  TORTURE_CLOCK_SHIFT_MS: String(ms),
})

/** An hour before the era began that is now. */
export const inLastEra = (): ServiceEnv => clockShiftedBy(-((Date.now() % ERA_MS) + hourMs))

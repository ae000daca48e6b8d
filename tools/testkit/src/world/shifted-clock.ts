// Services that live in another time: what to start them with.
import { join } from 'node:path'
import { ERA_MS } from '@weir/fieldcrypt'
import type { ServiceEnv } from './services.ts'

/** Loaded into a service before anything else, it moves its clock by TEST_CLOCK_SHIFT_MS. */
export const clockShiftPreload = join(import.meta.dirname, './preload/shift-clock.ts')
const hourMs = 3_600_000

/** Ahead by so many ms, or behind. */
export const clockShiftedBy = (ms: number): ServiceEnv => ({
  NODE_OPTIONS: `--import=${clockShiftPreload}`,
  TEST_CLOCK_SHIFT_MS: String(ms),
})

/** An hour before the era began that is now. */
export const inLastEra = (): ServiceEnv => clockShiftedBy(-((Date.now() % ERA_MS) + hourMs))

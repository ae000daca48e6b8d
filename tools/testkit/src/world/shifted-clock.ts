// Returns variables that shift a service's clock.
import { join } from 'node:path'
import { ERA_MS, eraAt, termOf, termStartMs } from '@weir/fieldcrypt'
import type { ServiceEnv } from './services.ts'

/** A module that a service loads first. It shifts the service's clock by TEST_CLOCK_SHIFT_MS. */
export const clockShiftPreload = join(import.meta.dirname, './preload/shift-clock.ts')
const hourMs = 3_600_000

/** Shifts the clock ahead, or back if `ms` is negative. */
export const clockShiftedBy = (ms: number): ServiceEnv => ({
  NODE_OPTIONS: `--import=${clockShiftPreload}`,
  TEST_CLOCK_SHIFT_MS: String(ms),
})

/** Sets the clock to an hour before the start of the current era. */
export const inLastEra = (): ServiceEnv => clockShiftedBy(-((Date.now() % ERA_MS) + hourMs))

/** Sets the clock to an hour before the start of the current term. */
export const inLastTerm = (): ServiceEnv =>
  clockShiftedBy(termStartMs(termOf(eraAt(Date.now()))) - hourMs - Date.now())

// Variables that shift a service's clock.
import { join } from 'node:path'
import { ERA_MS, eraAt, termOf, termStartMs } from '@weir/fieldcrypt'
import type { ServiceEnv } from './services.ts'

/** Loaded into a service before anything else, it shifts the service's clock by TEST_CLOCK_SHIFT_MS. */
export const clockShiftPreload = join(import.meta.dirname, './preload/shift-clock.ts')
const hourMs = 3_600_000

/** Shifts by this many ms ahead, or behind if negative. */
export const clockShiftedBy = (ms: number): ServiceEnv => ({
  NODE_OPTIONS: `--import=${clockShiftPreload}`,
  TEST_CLOCK_SHIFT_MS: String(ms),
})

/** A time an hour before the start of the present era. */
export const inLastEra = (): ServiceEnv => clockShiftedBy(-((Date.now() % ERA_MS) + hourMs))

/** A time an hour before the start of the present term. */
export const inLastTerm = (): ServiceEnv =>
  clockShiftedBy(termStartMs(termOf(eraAt(Date.now()))) - hourMs - Date.now())

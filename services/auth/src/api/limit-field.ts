// A limit as a setting: a number kept as text, as the API has it.
import { withUnit } from '@weir/kit'
import { z } from 'zod'

export const limit = (unit: string) =>
  withUnit(
    z
      .string()
      .trim()
      .regex(/^(?!0+$)\d{1,15}$/, 'it must be 1 to 15 digits, and not 0'),
    unit,
  )

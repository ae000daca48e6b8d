// A setting that is a stream's default limit. It is text, as limits are in the API.
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

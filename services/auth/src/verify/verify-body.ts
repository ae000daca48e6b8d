// The body of a request to verify a receipt.
import { bodyRule } from '@weir/http-api'
import { z } from 'zod'

export const verifyBody = z
  .strictObject(
    {
      receipt: z.string('must be a text: the receipt as it was downloaded'),
      value: z.string('must be a text').optional(),
      salt: z.string('must be a text').optional(),
    },
    bodyRule,
  )
  .refine(({ value, salt }) => (value === undefined) === (salt === undefined), {
    path: ['salt'],
    message: 'and value must be present together, or neither of them',
  })

// The account's purposes: names of consent levels, for people.
import { checkBody, readJson } from '@weir/http-api'
import type { AccountCall, RouteAnswer } from '@weir/http-api'
import { z } from 'zod'
import { setPurposes } from '../../control/purposes.ts'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'

const nameRule = 'must be 1 to 63 lower-case letters, digits and dashes'
const titleRule = 'must be 1 to 80 characters, without control characters, and no space at its ends'
const levelRule = 'must be a whole number from 0 to 255'
const purposeRule = 'must be an object with name, title and level'
const notSupported = 'is not supported: a purpose has only name, title and level'

const purpose = z
  .object(
    {
      name: z.string(nameRule).regex(/^[a-z0-9-]{1,63}$/, nameRule),
      title: z
        .string(titleRule)
        .max(80, titleRule)
        .regex(/^(?!\s)\P{C}+(?<!\s)$/u, titleRule),
      level: z.int(levelRule).min(0, levelRule).max(255, levelRule),
    },
    purposeRule,
  )
  .catchall(
    z
      .unknown()
      .refine(() => false, notSupported)
      .meta({ not: {} }),
  )

const listRule = 'The body must be a list of at most 64 purposes'

export const purposesBody = z
  .array(purpose, listRule)
  .max(64, listRule)
  .superRefine((purposes, context) => {
    for (const member of ['title', 'level', 'name'] as const) {
      const values = purposes.map((each) => each[member])
      const twice = values.find((value, at) => values.indexOf(value) < at)
      if (twice !== undefined) return context.addIssue(`Two purposes have the ${member} «${twice}»`)
    }
  })
  .meta({ uniqueItems: true })

type Purposes = RouteAnswer<readonly AnswerNamed<'Purpose'>[]>

export const listPurposes = ({ caller: { account } }: AccountCall): Purposes => ({
  status: 200,
  body: account.purposes ?? [],
})

export const changePurposes =
  ({ accounts }: Pick<Management, 'accounts'>) =>
  async (call: AccountCall): Promise<Purposes> => {
    const { caller } = call
    const purposes = checkBody(purposesBody, await readJson(call))
    const account = await setPurposes(acting(accounts, caller), caller.billingId, purposes)
    return { status: 200, body: account.purposes ?? [] }
  }

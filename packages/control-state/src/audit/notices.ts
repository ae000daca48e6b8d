// The notices in `weir.accesses` (docs/formats.md). auth and output write them, and only auth reads them. auth does not
// trust output, so it accepts only names, ids and numbers in valid form.
import { z } from 'zod'
import { createForm, parserOf, storedAs } from '../forms/form.ts'
import type { Form } from '../forms/form.ts'
import type { Actor, AuditAction, AuditTarget } from './audit.ts'

export const accessesTopic = 'weir.accesses'

/** The actions that output may report. */
const noticedActions = [
  'read.preview',
  'read.dead',
  'read.watch',
  'read.token',
  'read.keys',
  'read.subject',
  'read.refused',
  'dead.retry',
  'access.refused',
] as const
type NoticedAction = (typeof noticedActions)[number] & AuditAction

export type Reading = {
  readonly action: NoticedAction
  readonly actor: Extract<Actor, { kind: 'account' | 'credentials' }>
  readonly target: AuditTarget
  /** The code of the refusal, if nothing was shown. */
  readonly refused?: string
}

export type Notice =
  | (Reading & { readonly type: 'read-notice'; readonly at: string })
  | {
      readonly type: 'use-notice'
      readonly at: string
      readonly billingId: string
      readonly keyId: string
    }

const name = z.string().regex(/^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/)
const keyId = z.string().regex(/^[0-9a-f]{12}$/)
const at = z.iso.datetime()
const requestId = z.string().max(100)
const actor = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('account'),
    billingId: name,
    keyId,
    name: z.string().max(100),
    requestId,
  }),
  z.strictObject({
    kind: z.literal('credentials'),
    billingId: name,
    clientId: z.uuid(),
    requestId,
  }),
])
const target = z.strictObject({
  account: name,
  stream: name.exactOptional(),
  output: name.exactOptional(),
  levels: z.array(z.int().min(0).max(255)).max(256).exactOptional(),
  count: z.int().min(1).exactOptional(),
  route: z.string().max(100).exactOptional(),
})

const readNotice = z.strictObject({
  type: z.literal('read-notice'),
  at,
  action: z.enum(noticedActions),
  actor,
  target,
  refused: z
    .string()
    .regex(/^[a-z_]{1,60}$/)
    .exactOptional(),
})
const useNotice = z.strictObject({ type: z.literal('use-notice'), at, billingId: name, keyId })

type NoticeOf<Type extends Notice['type']> = Extract<Notice, { type: Type }>

const forms: { readonly [Type in Notice['type']]: Form<NoticeOf<Type>> } = {
  'read-notice': createForm('read-notice', (members) => {
    const { data } = readNotice.safeParse(members)
    return data?.actor.billingId === data?.target.account ? data : undefined
  }),
  'use-notice': createForm('use-notice', (members) => useNotice.safeParse(members).data),
}

export const noticeValue = (notice: Notice): Buffer => storedAs<Notice>(forms[notice.type], notice)
export const parseNotice = parserOf<Notice>(accessesTopic, Object.values(forms))

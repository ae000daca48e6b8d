// Defines how an entry of the audit log is stored in `weir.audit` (docs/formats.md). An action may be any text, because
// another release may have written it.
import { roles } from '../roles.ts'
import { createForm, parserOf, storedAs, untyped } from '../forms/form.ts'
import {
  either,
  flag,
  listOf,
  number,
  objectOf,
  oneOf,
  optional,
  tableOf,
  text,
} from '../forms/guards.ts'
import type { Actor, AuditEntry, AuditTarget } from './audit.ts'

export const auditTopic = 'weir.audit'

type ActorOf<Kind extends Actor['kind']> = Extract<Actor, { kind: Kind }>

const isCaller = either(
  objectOf<ActorOf<'account'>>({
    kind: oneOf('account'),
    billingId: text,
    keyId: text,
    name: text,
    requestId: text,
  }),
  objectOf<ActorOf<'credentials'>>({
    kind: oneOf('credentials'),
    billingId: text,
    clientId: text,
    requestId: text,
  }),
)
const isOperator = either(
  objectOf<ActorOf<'platform'>>({ kind: oneOf('platform'), requestId: text }),
  objectOf<ActorOf<'auth'>>({ kind: oneOf('auth') }),
)

const settings = tableOf(either(text, either(number, flag)))

const isTarget = objectOf<AuditTarget>({
  account: optional(text),
  stream: optional(text),
  output: optional(text),
  contract: optional(text),
  clientId: optional(text),
  keyId: optional(text),
  name: optional(text),
  role: optional(oneOf(...roles)),
  expiresAt: optional(text),
  erasure: optional(text),
  search: optional(text),
  streams: optional(listOf(text)),
  levels: optional(listOf(number)),
  at: optional(text),
  count: optional(number),
  changed: optional(listOf(text)),
  before: optional(settings),
  after: optional(settings),
  consentLevelType: optional(text),
  from: optional(text),
  scope: optional(listOf(text)),
  route: optional(text),
  quotas: optional(tableOf(number)),
  outputs: optional(listOf(text)),
  ring: optional(text),
  rings: optional(listOf(text)),
  kek: optional(text),
  kid: optional(text),
  revoked: optional(listOf(text)),
  era: optional(number),
  logged: optional(listOf(text)),
  erasuresLostSince: optional(text),
})

const entryForm = createForm(
  'audit-entry',
  untyped(
    objectOf<AuditEntry>({
      seq: number,
      prev: text,
      time: text,
      by: either(isCaller, isOperator),
      action: text,
      target: isTarget,
      outcome: oneOf('done', 'refused'),
      code: optional(text),
    }),
  ),
)

export const entryValue = (entry: AuditEntry): Buffer => storedAs(entryForm, entry)
export const parseEntry = parserOf(auditTopic, [entryForm])

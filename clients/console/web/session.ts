// Who is signed in, what the key may do, and what each page gets of it.
import type { Calls } from './api/calls.ts'
import type { Place } from './place.ts'
import { mayDo } from './roles.ts'
import type { Role } from './roles.ts'

export type Session = {
  readonly billingId: string
  readonly role: Role
  readonly calls: Calls
  /** Whether the key has the role, or one that covers it (docs/api-keys.md): what it may not do isn't offered. */
  may(needed: Role): boolean
}
export type PageProps = { readonly session: Session; readonly place: Place }

export const createSession = (billingId: string, role: Role, calls: Calls): Session => ({
  billingId,
  role,
  calls,
  may: (needed) => mayDo(role, needed),
})

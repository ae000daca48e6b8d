// The session: the account, the role of its API key, and the calls to the API. Each page gets the session and its
// address.
import type { Calls } from './api/calls.ts'
import type { Erasure } from './api/erasure.ts'
import type { Search } from './api/people.ts'
import type { Place } from './place.ts'
import { mayDo } from './roles.ts'
import type { Role } from './roles.ts'

export type Session = {
  readonly billingId: string
  readonly role: Role
  readonly calls: Calls
  /**
   * This session's last requests by `requestKey`, without salts. No service can find them by the person, because none
   * stores the person.
   */
  readonly requests: Map<string, Erasure>
  /** The person who was searched last, so that the page of people still shows them after another page. */
  readonly people: { value: string; search?: Search }
  /**
   * Whether the key has the role, or a higher one (docs/api-keys.md). The page hides actions without the necessary
   * role.
   */
  may(needed: Role): boolean
}
export type PageProps = { readonly session: Session; readonly place: Place }

export const createSession = (billingId: string, role: Role, calls: Calls): Session => ({
  billingId,
  role,
  calls,
  requests: new Map(),
  people: { value: '' },
  may: (needed) => mayDo(role, needed),
})

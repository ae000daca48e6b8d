// The rights of an API key: its role, and the role that a request needs. A role includes the rights of the roles that
// it covers. A route that isn't granted to a role is denied.
import { ControlStateError } from './errors.ts'

/** In display order, from all rights to the fewest. */
export const roles = ['owner', 'developer', 'officer', 'viewer'] as const
export type Role = (typeof roles)[number]

const covered = {
  owner: roles,
  developer: ['developer', 'viewer'],
  officer: ['officer', 'viewer'],
  viewer: ['viewer'],
} satisfies Record<Role, readonly Role[]>

export const hasRole = (role: Role, needed: Role): boolean =>
  covered[role].some((each) => each === needed)

/** `what` needs the role, for the sentence. @throws ControlStateError `control-state.role_missing` */
export function requireRole(
  { role }: { readonly role: Role },
  needed: Role,
  what = 'This request',
): void {
  if (hasRole(role, needed)) return
  throw new ControlStateError(
    'control-state.role_missing',
    `${what} needs the role ${needed}, and the API key has the role ${role}; ` +
      `use a key with ${needed === 'owner' ? 'the role owner' : `the role ${needed} or owner`}, which an owner of the account can create`,
  )
}

/**
 * Who may call a route: an API key with this role, the platform key, a stream's own credentials or token, one of two of
 * these, a token for one person's events, or anyone. Each service has one table of its routes. A route that isn't in
 * the table can't be mounted.
 */
export type Needs =
  | Role
  | 'platform'
  | 'platform or viewer'
  | 'credentials'
  | 'credentials or viewer'
  | 'access token'
  | 'anyone'
export type RouteNeeds = Readonly<Record<`${string} /${string}`, Needs>>

export const isRole = (needs: Needs): needs is Role => roles.some((role) => role === needs)

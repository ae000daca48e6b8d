// The roles of API keys, and who may call each route. A role also has the rights of the roles that it covers.
import { ControlStateError } from './errors.ts'

/** In display order, from most to fewest rights. */
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

/** `what` is the subject of the error message. @throws ControlStateError `control-state.role_missing` */
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
 * Who may call a route. A role: an API key with this role. `credentials`: the stream's credentials or its token.
 * `access token`: a token for one person's events. Each service has one table of its routes. A route that isn't in the
 * table can't be mounted.
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

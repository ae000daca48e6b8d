// What API keys may do, according to docs/api-keys.md. Pure.

export const roles = ['owner', 'developer', 'officer', 'viewer'] as const
export type Role = (typeof roles)[number]

/** Whether a key with this role has the rights of the needed one. */
export const mayDo = (role: Role, needed: Role): boolean =>
  role === 'owner' || needed === 'viewer' || needed === role

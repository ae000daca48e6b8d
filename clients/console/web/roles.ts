// What API keys may do, as docs/api-keys.md has it. Pure.

export const roles = ['owner', 'developer', 'officer', 'viewer'] as const
export type Role = (typeof roles)[number]

/** Whether a key with the role may do what needs the other one. */
export const mayDo = (role: Role, needed: Role): boolean =>
  role === 'owner' || needed === 'viewer' || needed === role

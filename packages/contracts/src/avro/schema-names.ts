// The names that a schema may give. Bounded, because a schema may name a type many times, and a sentence about a field
// contains its whole path.

/** The maximum for a type with its namespace, and for a field. */
export const nameCharsMax = 256

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= nameCharsMax && namePattern.test(name)

/** A name, with or without a namespace before it. */
export const isFullName = (name: string): boolean =>
  name.length <= nameCharsMax && name.split('.').every(isName)

// The names that a schema may contain. Their length is bounded, because a schema may name a type many times, and an
// error about a field contains the whole path.

/** The maximum length of a type's name with its namespace, and of a field's name. */
export const nameCharsMax = 256

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= nameCharsMax && namePattern.test(name)

/** A name, with or without a namespace before it. */
export const isFullName = (name: string): boolean =>
  name.length <= nameCharsMax && name.split('.').every(isName)

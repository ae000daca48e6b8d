// Checks the names in a schema. Their length is bounded, because a schema may use a name many times, and an error
// contains the whole path of a field.

/** The maximum length of a type's name with its namespace, and of a field's name. */
export const nameCharsMax = 256

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= nameCharsMax && namePattern.test(name)

/** Accepts a name, with or without a namespace before it. */
export const isFullName = (name: string): boolean =>
  name.length <= nameCharsMax && name.split('.').every(isName)

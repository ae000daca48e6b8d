// The names that a schema may give. Bounded, since a schema may name a type as often as it likes, and a sentence about a
// field tells its whole place.

/** Of a type with its name space, and of a field. */
export const nameCharsMax = 256

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= nameCharsMax && namePattern.test(name)

/** A name with the name space before it, if there is one. */
export const isFullName = (name: string): boolean =>
  name.length <= nameCharsMax && name.split('.').every(isName)

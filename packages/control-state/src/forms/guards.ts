// Checks of parsed JSON, composed of small checks. A guard copies nothing: a record from Kafka stays the object that
// was parsed, including members with unknown names.

export type Guard<T> = (value: unknown) => value is T
type Optional<T> = { readonly optional: Guard<T> }
type Member = Guard<unknown> | Optional<unknown>

/** A check for each member of T. `optional` marks a member that may be missing. */
type Shape<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? Optional<Required<T>[K]>
    : Guard<Required<T>[K]>
}

export const text: Guard<string> = (value) => typeof value === 'string'
export const number: Guard<number> = (value) => typeof value === 'number'
export const flag: Guard<boolean> = (value) => typeof value === 'boolean'
export const anything: Guard<unknown> = (_value): _value is unknown => true

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const oneOf =
  <const T extends string | boolean>(...known: readonly T[]): Guard<T> =>
  (value): value is T =>
    known.some((each) => each === value)

export const listOf =
  <T>(isItem: Guard<T>): Guard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(isItem)

export const tableOf =
  <T>(isItem: Guard<T>): Guard<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(isItem)

export const optional = <T>(guard: Guard<T>): Optional<T> => ({ optional: guard })

export const either =
  <A, B>(isA: Guard<A>, isB: Guard<B>): Guard<A | B> =>
  (value): value is A | B =>
    isA(value) || isB(value)

/** Accepts an object with these members, and ignores other members. */
function objectOf<T extends object>(shape: Shape<T>): Guard<T>
function objectOf(shape: Readonly<Record<string, Member>>): Guard<object> {
  const members = Object.entries(shape).map(([name, member]) => ({ name, is: guardOf(member) }))
  return (value): value is object => {
    if (!isObject(value)) return false
    // A plain loop for speed, because a start may check a million records.
    for (const { name, is } of members) if (!is(value[name])) return false
    return true
  }
}

function guardOf(member: Member): (value: unknown) => boolean {
  if (typeof member === 'function') return member
  return (value) => value === undefined || member.optional(value)
}

export { objectOf }

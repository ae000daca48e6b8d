// A contract's validations -> the question «which sentence rejects this event, if any». The sentences are
// the spec's, letter for letter (spec Errors); they quote the value as it is, line ends included.
import type { RecordType } from './avro/types.ts'
import { holderOf, placeOf, typeAt } from './paths.ts'
import { compileTest } from './pattern/engine.ts'
import type { Event, Validation } from './types.ts'

/** A validation passes on null, and holds for each element of a list. The first that fails answers. */
export function compileValidations(
  id: string,
  root: RecordType,
  validations: readonly Validation[],
): (event: Event) => string | undefined {
  const checks = validations.map((validation) => {
    if (!typeAt(root, validation.field)) throw new Error(`${id}: a validation names no field`)
    return { ...validation, place: placeOf(validation.field), holds: compileCheck(validation) }
  })
  return (event) => {
    for (const { field, value: pattern, place, holds } of checks) {
      const failing = failingText(holderOf(event, place)?.[place.name], holds)
      if (failing !== undefined) return violation(id, field, failing, pattern)
    }
    return undefined
  }
}

/** What isn't text passes, and so does the absence of it. */
function failingText(value: unknown, holds: (text: string) => boolean): string | undefined {
  if (typeof value === 'string') return holds(value) ? undefined : value
  if (!Array.isArray(value)) return undefined
  return value.find((text) => typeof text === 'string' && !holds(text))
}

/** A pattern that breaks its engine on some value rejects that value. */
function compileCheck(validation: Validation): (value: string) => boolean {
  const test = compileTest(validation.value, validation.engine)
  return (value) => {
    try {
      return test(value)
    } catch {
      return false
    }
  }
}

/** A short id and one of the form <owner>/<name>/<version> have a sentence each. */
function violation(id: string, field: string, value: string, pattern: string): string {
  return id.includes('/')
    ? `Field: '${field}' in event with schema: '${id}' with value: '${value}' doesn't match regex: '${pattern}'`
    : `regex ${id}/${field} '${value}' doesnt match '${pattern}'`
}

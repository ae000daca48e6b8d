// Runs a contract's validations, and returns the sentence that rejects an event, if any. The spec defines these
// sentences letter for letter (spec Errors). They quote the value unchanged, including line ends. If all
// validations could together cost too much (pattern/steps.ts), no pattern is matched, and Weir's own sentence names the
// field.
import type { RecordType } from './avro/types.ts'
import { holderOf, placeOf, typeAt } from './paths.ts'
import type { FieldPlace } from './paths.ts'
import { compileTest } from './pattern/engine.ts'
import { matchCost, stepsFor, stepsMax } from './pattern/steps.ts'
import type { MatchCost } from './pattern/steps.ts'
import type { Engine, Event, Validation } from './types.ts'

export type Validator = {
  /** Returns the maximum cost of `firstViolation`, in bounded time, without matching. */
  readonly steps: (event: Event) => number
  /** `steps` is the result of the function `steps` for this event, if the caller already has it. */
  readonly firstViolation: (event: Event, steps?: number) => string | undefined
}

type Check = {
  readonly field: string
  readonly pattern: string
  readonly place: FieldPlace
  readonly cost: MatchCost
  readonly holds: (text: string) => boolean
}

/** Null passes every validation. In a list, each element must pass. The sentence quotes the first text that fails. */
export function compileValidations(
  id: string,
  root: RecordType,
  validations: readonly Validation[],
): Validator {
  const checks = validations.map(({ field, value: pattern, engine }): Check => {
    if (!typeAt(root, field)) throw new Error(`${id}: a validation names no field`)
    const holds = compileCheck(pattern, engine)
    return { field, pattern, place: placeOf(field), cost: matchCost(pattern, engine), holds }
  })
  const steps = (event: Event): number => {
    let sum = 0
    for (const check of checks) {
      sum += stepsOf(check, event)
      if (sum > stepsMax) break
    }
    return sum
  }
  return {
    steps,
    firstViolation(event, known = steps(event)) {
      if (known > stepsMax) return tooLong(costliestField(checks, event))
      for (const { field, pattern, place, holds } of checks) {
        const failing = failingText(valueAt(event, place), holds)
        if (failing !== undefined) return violation(id, field, failing, pattern)
      }
      return undefined
    },
  }
}

const valueAt = (event: Event, place: FieldPlace): unknown => holderOf(event, place)?.[place.name]

/**
 * Returns the maximum cost of one validation. Stops counting above the bound. Elements that aren't text count, too,
 * because checking them takes time.
 */
function stepsOf({ place, cost }: Check, event: Event): number {
  const value = valueAt(event, place)
  if (typeof value === 'string') return stepsFor(cost, value.length)
  if (!Array.isArray(value)) return 0
  let sum = 0
  for (const text of value) {
    sum += typeof text === 'string' ? stepsFor(cost, text.length) : 1
    if (sum > stepsMax) break
  }
  return sum
}

/** Returns the field with the highest cost, among the fields that were counted until the bound was exceeded. */
function costliestField(checks: readonly Check[], event: Event): string {
  const sums = new Map<string, number>()
  let sum = 0
  for (const check of checks) {
    const steps = stepsOf(check, event)
    sums.set(check.field, (sums.get(check.field) ?? 0) + steps)
    sum += steps
    if (sum > stepsMax) break
  }
  const [field = ''] = [...sums].toSorted(([, a], [, b]) => b - a)[0] ?? []
  return field
}

/** Returns the first text that fails, or undefined. Missing values and values that aren't text pass. */
function failingText(value: unknown, holds: (text: string) => boolean): string | undefined {
  if (typeof value === 'string') return holds(value) ? undefined : value
  if (!Array.isArray(value)) return undefined
  return value.find((text) => typeof text === 'string' && !holds(text))
}

/** Returns a test that compiles the pattern at its first use. The test rejects a value for which the engine throws. */
function compileCheck(pattern: string, engine: Engine): (value: string) => boolean {
  let test: ((value: string) => boolean) | undefined
  return (value) => {
    try {
      test ??= compileTest(pattern, engine)
      return test(value)
    } catch {
      return false
    }
  }
}

const tooLong = (field: string): string =>
  `Field '${field}' is too long for the patterns of its validations: matching them could take more than ${stepsMax} steps; ` +
  'send a shorter value, or publish a contract with fewer or simpler patterns'

/** A short id and an id of the form <owner>/<name>/<version> have different sentences. */
function violation(id: string, field: string, value: string, pattern: string): string {
  return id.includes('/')
    ? `Field: '${field}' in event with schema: '${id}' with value: '${value}' doesn't match regex: '${pattern}'`
    : `regex ${id}/${field} '${value}' doesnt match '${pattern}'`
}

// Chooses the engine for a validation's pattern: V8 if it is proved to match in linear time with a small factor,
// otherwise re2js. If neither can run the pattern, the contract is refused with the reason. Both engines return the
// same as RegExp.test.
import type { Engine } from '../types.ts'
import { isCheap, programSize } from './cost.ts'
import { parsePattern, Untranslatable } from './parse.ts'
import { proveLinear } from './prove-linear.ts'
import { compileRe2 } from './re2.ts'

const patternLengthMax = 1_000

export type EngineChoice = { readonly engine: Engine } | { readonly problem: string }

/**
 * Expects patterns in which `patternProblem` finds no problem.
 * @param account the account whose queue the patterns wait in
 */
export async function chooseEngines(
  sources: readonly string[],
  account: string,
): Promise<EngineChoice[]> {
  const linear = await proveLinear(sources.filter(mayRunOnV8), account)
  return sources.map((source) => (linear.has(source) ? { engine: 'v8' } : chooseRe2(source)))
}

export function compileTest(source: string, engine: Engine): (value: string) => boolean {
  if (engine === 're2') return compileRe2(source)
  const pattern = new RegExp(source)
  return (value) => pattern.test(value)
}

/**
 * Returns the length of the pattern with its repeats written out; 0 if the pattern can't be parsed, which
 * `chooseEngines` reports.
 */
export function patternSize(source: string): number {
  try {
    return programSize(parsePattern(source))
  } catch (error) {
    if (error instanceof Untranslatable) return 0
    throw error
  }
}

/** Returns what makes the pattern invalid, or undefined. */
export function patternProblem(source: string): string | undefined {
  if (source.length > patternLengthMax) return `is longer than ${patternLengthMax} characters`
  if (!source.isWellFormed()) return 'is not well-formed Unicode'
  try {
    new RegExp(source)
    return undefined
  } catch (error) {
    // V8 says: Invalid regular expression: /SOURCE/: REASON
    const [reason] = String(error).split('/: ').slice(-1)
    return `is not a regular expression: ${reason}`
  }
}

function compiles(compile: () => unknown): boolean {
  try {
    compile()
    return true
  } catch {
    return false
  }
}

/**
 * Whether the pattern is cheap, and V8 can compile it. V8 compiles at the first match, separately for Latin-1 and other
 * values.
 */
function mayRunOnV8(source: string): boolean {
  try {
    if (!isCheap(parsePattern(source))) return false
  } catch (error) {
    if (error instanceof Untranslatable) return false
    throw error
  }
  const pattern = new RegExp(source)
  return compiles(() => pattern.test('') || pattern.test('\u0100'))
}

function chooseRe2(source: string): EngineChoice {
  try {
    compileRe2(source)
    return { engine: 're2' }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { problem: `can't be proved linear, and RE2 can't express it: ${error.message}` }
  }
}

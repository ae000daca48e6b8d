// Validates the consent levels in requests to create or preview a derived stream. Each message completes a sentence
// that begins with the member's name.
import { z } from 'zod'

const levelRule = 'must be a whole number from 0 to 255'
const levelsRule = 'must be a list of consent levels, at least one'

export const consentLevels = z
  .array(z.int(levelRule).min(0, levelRule).max(255, levelRule), levelsRule)
  .min(1, levelsRule)
  .refine((levels) => new Set(levels).size === levels.length, {
    message: 'must name each level once',
    when: ({ value }) => Array.isArray(value),
  })

export const consentLevelType = z.enum(['CUMULATIVE', 'GRANULAR'], 'must be CUMULATIVE or GRANULAR')

/** Options for `refine`: the rule about consentLevels and consentLevelType. */
export const oneLevelRule = {
  path: ['consentLevels'],
  message: 'must have exactly one level when consentLevelType is CUMULATIVE',
  // Runs even if other checks failed, so that all problems are reported together.
  when: () => true,
}

export function hasOneLevelIfCumulative(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return true
  if (!('consentLevelType' in body) || body.consentLevelType !== 'CUMULATIVE') return true
  if (!('consentLevels' in body) || !Array.isArray(body.consentLevels)) return true
  return body.consentLevels.length <= 1
}

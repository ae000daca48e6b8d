// A body that isn't an event of its contract: how the place of the trouble is found and said. The sentence
// names the field and what was expected; what the producer sent is never in it.
import { ContractsError } from './errors.ts'

/** Thrown where reading stops; every record, list and map on the way out adds its step. */
export class Unreadable extends Error {
  readonly steps: string[] = []
}

/** Adds one step to the way from the root to the trouble; other errors pass as they are. */
export function atStep<E>(error: E, step: string | number): E {
  if (error instanceof Unreadable) error.steps.unshift(String(step))
  return error
}

function undecodable(sentence: string): ContractsError<'contracts.undecodable'> {
  return new ContractsError('contracts.undecodable', sentence)
}

/** What a caller of a contract gets to see. Errors that aren't about the body pass as they are. */
export function toUndecodable(error: unknown): unknown {
  if (!(error instanceof Unreadable)) return error
  const { steps, message } = error
  return undecodable(
    steps.length === 0 ? `The body ${message}` : `Field '${steps.join('/')}' ${message}`,
  )
}

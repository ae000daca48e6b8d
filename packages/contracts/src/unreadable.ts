// Errors about a body that isn't an event of its contract. The sentence names the field and the expected type, but
// never quotes a value of the producer.
import { ContractsError } from './errors.ts'

/** Thrown where reading fails. Then each record, list and map around the value adds its step to the path. */
export class Unreadable extends Error {
  readonly steps: string[] = []
}

/** Adds one step at the front of the path of an Unreadable. Returns other errors unchanged. */
export function atStep<E>(error: E, step: string | number): E {
  if (error instanceof Unreadable) error.steps.unshift(String(step))
  return error
}

function undecodable(sentence: string): ContractsError<'contracts.undecodable'> {
  return new ContractsError('contracts.undecodable', sentence)
}

/** Returns the error that the caller of a contract gets. Returns errors that aren't about the body unchanged. */
export function toUndecodable(error: unknown): unknown {
  if (!(error instanceof Unreadable)) return error
  const { steps, message } = error
  return undecodable(
    steps.length === 0 ? `The body ${message}` : `Field '${steps.join('/')}' ${message}`,
  )
}

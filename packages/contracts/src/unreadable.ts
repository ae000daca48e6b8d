// Errors about a body that isn't an event of its contract. The sentence names the field and the expected type, but
// never quotes what the producer sent.
import { ContractsError } from './errors.ts'

/** Thrown where reading stops. Every record, list and map around that place then adds its step to the path. */
export class Unreadable extends Error {
  readonly steps: string[] = []
}

/** Adds one step to the path from the root to the error; other errors are returned unchanged. */
export function atStep<E>(error: E, step: string | number): E {
  if (error instanceof Unreadable) error.steps.unshift(String(step))
  return error
}

function undecodable(sentence: string): ContractsError<'contracts.undecodable'> {
  return new ContractsError('contracts.undecodable', sentence)
}

/** The error that the caller of a contract gets. Errors that aren't about the body are returned unchanged. */
export function toUndecodable(error: unknown): unknown {
  if (!(error instanceof Unreadable)) return error
  const { steps, message } = error
  return undecodable(
    steps.length === 0 ? `The body ${message}` : `Field '${steps.join('/')}' ${message}`,
  )
}

// Reads an event from a request body, and checks it against its contract.
import { guessedForm, invalidConsentLevel, namedForm } from '@weir/contracts'
import type { Contract, Event, EventIntake } from '@weir/contracts'
import type { HttpRequest } from '@weir/http2'
import type { InputStream } from '@weir/control-state'
import type { ActiveContract } from './active-contracts.ts'
import { refusal } from '../errors.ts'
import { explained } from './explained.ts'
import type { LongWork } from './long-work.ts'
import { serializationTypeOf, single } from './request.ts'

export type CheckedEvent = {
  readonly stream: InputStream
  readonly active: ActiveContract
  readonly event: Event
  /** The value of the contract's key field. */
  readonly key: string
  /** The size of the decompressed body. */
  readonly bytes: number
}

export function readEvent(
  contract: EventIntake,
  request: HttpRequest,
  body: Buffer | undefined,
): Event {
  if (body === undefined) throw refusal('undecodable', 'The body is not valid gzip')
  const named = namedForm({
    serializationType: serializationTypeOf(request),
    contentType: single(request, 'content-type'),
  })
  try {
    const form = named ?? guessedForm(body[0])
    return form === 'json' ? contract.readJson(body) : contract.skimAvro(body)
  } catch (error) {
    throw explained(error, body, named)
  }
}

/** The event of one person needs far fewer values, and encrypting more would delay other requests. */
const personalValuesMax = 10_000
/** The cost of encrypting a value, in steps of ten nanoseconds, the unit of validation costs. */
const stepsOfAValue = 200

/**
 * Returns the estimated cost of encrypting the event, in the same steps.
 * @throws AppError `too_large`
 */
function sealingSteps(contract: EventIntake, event: Event): number {
  const values = contract.personalValues(event)
  if (values > personalValuesMax)
    throw refusal(
      'too_large',
      `The event has ${values} values of personal fields, list elements included, and may have ${personalValuesMax}`,
    )
  return values * stepsOfAValue
}

/**
 * Checks an event that was read. A costly event waits for its turn.
 * @returns the value of the key field
 */
export function checkInTurn(work: LongWork, billingId: string, contract: Contract, event: Event) {
  const steps = contract.validationSteps(event)
  const turn = work.turnFor(billingId, steps + sealingSteps(contract, event))
  if (turn === undefined) return checkEvent(contract, event, steps)
  return turn.then(() => checkEvent(contract, event, steps))
}

function checkEvent(contract: Contract, event: Event, steps: number): string {
  const key = contract.keyOf(event)
  if (key === undefined)
    throw refusal('key_field_empty', `The key field ${contract.keyField} is empty`)
  if (invalidConsentLevel(event) !== undefined)
    throw refusal('invalid_consent_levels', 'svcMeta/consentLevels has a level outside 0 to 255')
  const violation = contract.firstViolation(event, steps)
  if (violation !== undefined) throw refusal('validation_failed', violation) // spec Errors
  return key
}

// Refusals in the form that Confluent's clients read: {"error_code": …, "message": …}. `error_code` is Confluent's
// five-digit code for the case, or else the status.
import { Refusal } from '@weir/http-api'
import { errors } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import type { RouteAnswer } from '@weir/http-api'
import type { AnswerNamed } from '../api/answers/answers.ts'

export const registryContentType = 'application/vnd.schemaregistry.v1+json'

class RegistryRefusal extends Refusal<ErrorCode> {
  readonly registryCode: number
  constructor(code: ErrorCode, registryCode: number, message: string) {
    super(code, message)
    this.registryCode = registryCode
  }
}

export function registryErrorOf(refusal: Refusal): RouteAnswer<AnswerNamed<'RegistryError'>> {
  const { message } = refusal
  const status = errors.statusOf(refusal)
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="weir"' } : {}
  return {
    status,
    headers: { ...errors.headersOf(refusal), ...challenge, 'content-type': registryContentType },
    body: {
      error_code: refusal instanceof RegistryRefusal ? refusal.registryCode : status,
      message,
    },
  }
}

/** Returns the same refusal for a missing schema and for another account's schema. */
const missing = (registryCode: number, what: string): Refusal =>
  new RegistryRefusal('not_found', registryCode, `${what} not found among those of this account`)

export const noSubject = (subject: string): Refusal => missing(40401, `Subject '${subject}'`)
export const noVersion = (version: string): Refusal => missing(40402, `Version ${version}`)
export const noSchema = (id: string): Refusal => missing(40403, `Schema ${id}`)
export const noSuchVersionNumber = (version: string): Refusal =>
  new RegistryRefusal(
    'invalid',
    42202,
    `The version '${version}' is not a number from 1 to 2147483647, and not "latest"`,
  )

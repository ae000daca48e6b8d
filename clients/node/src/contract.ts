// A contract for a producer: its id and its Avro schema. Only ingest checks the validations.
import { isObject, memberOf, tryParseJson } from './json.ts'
import { ReadError, RejectedError, rejectionCodeOf } from './errors.ts'
import { requestJson } from './json-request.ts'
import { authAnswers, serviceUrl } from './address.ts'
import { address, certificates, checkOptions, required, text } from './options.ts'
import type { Rules } from './options.ts'

export type Contract<Event extends object = object> = {
  /** The schema id. */
  readonly id: string
  readonly schema: {
    /** The Avro schema as an object or as JSON text. */
    readonly definition: unknown
  }
  /** Always undefined. TypeScript takes the type of the contract's events from this member. */
  readonly event?: Event
}

export type LoadContractOptions = {
  /** The address of auth. */
  readonly authUrl: string
  /** An API key of the account. */
  readonly apiKey: string
  readonly id: string
  /** CA certificates to trust (PEM). */
  readonly ca?: string | Uint8Array | undefined
}

const rules: Rules<LoadContractOptions> = {
  authUrl: required(address('auth', 8081)),
  apiKey: required(text('an API key of the account')),
  id: required(text('a schema id')),
  ca: certificates,
}

const timeoutMs = 30_000

/**
 * Loads a contract from auth, without retries. A program that sends should rather use the constant that `weir contract
 * types` writes. Rejects with RejectedError if auth refuses the request, with TypeError for invalid options, and with
 * ReadError `unreachable` if auth is unreachable. The `cause` of this error is Node's error.
 */
export async function loadContract<Event extends object = object>(
  options: LoadContractOptions,
): Promise<Contract<Event>> {
  checkOptions('loadContract', options, rules)
  const { authUrl, apiKey, id, ca } = options
  const url = serviceUrl(authUrl, `/v2/contracts/${encodeURIComponent(id)}`)
  const asked = { url, method: 'GET', bearer: apiKey, ca, timeoutMs } as const
  const { status, json } = await requestJson(asked).catch(({ message, cause }: Error) => {
    throw new ReadError('unreachable', message, cause)
  })
  if (status !== 200) {
    const detail = memberOf(json, 'detail')
    const message = typeof detail === 'string' ? detail : authAnswers(url.origin, status)
    throw new RejectedError(rejectionCodeOf(memberOf(json, 'code')), message, status)
  }
  return { id, schema: { definition: memberOf(memberOf(json, 'schema'), 'definition') } }
}

/** @throws RejectedError `invalid_contract` */
export function schemaOf({ id, schema }: Contract<object>): unknown {
  const definition = memberOf(schema, 'definition')
  const parsed = typeof definition === 'string' ? tryParseJson(definition) : definition
  if (isObject(parsed)) return parsed
  throw new RejectedError('invalid_contract', `the contract ${id} has no Avro schema`)
}

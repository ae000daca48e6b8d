// Asks output for people's keys with `POST /v2/keys` (docs/keys.md Keys for readers), for at most a thousand people in
// one request.
import { setTimeout as pause } from 'node:timers/promises'
import { serviceUrl, wrongAddress } from '../address.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { ReadError, RejectedError } from '../errors.ts'
import { requestJson } from '../json-request.ts'
import type { JsonReply } from '../json-request.ts'
import { isObject, memberOf } from '../json.ts'
import { pauseMs, retryAfterMsOf } from '../retries.ts'
import { createTokens } from '../tokens.ts'
import type { EncryptedReason, KeysOrReason } from './encrypted.ts'

export type Asked = {
  /** The keyLink as UUID text. */
  readonly keyLink: string
  readonly timestamp: number
  readonly consentLevels: readonly number[]
}
export type Answered = {
  readonly keys: readonly KeysOrReason[]
  /** The time from which the keys are too old, by `performance.now()`. */
  readonly goodUntilMs: number
}

export const personsMax = 1_000
const requestTimeoutMs = 30_000
const giveUpAfterMs = 60_000

/**
 * Returns a function that gets keys. `too_many`: output limits the keys in one request; ask for fewer people. @throws
 * ReadError `refused`, `unreachable`
 */
export function createKeyService(
  options: CredentialsOptions & { readonly outputUrl: string },
): (persons: readonly Asked[]) => Promise<Answered | 'too_many'> {
  const tokens = createTokens(options)
  const url = serviceUrl(options.outputUrl, '/v2/keys')
  const { ca } = options

  const ask = async (persons: readonly Asked[]): Promise<JsonReply> => {
    const bearer = await tokens.get()
    const json = { persons }
    const asked = { url, method: 'POST', bearer, json, ca, timeoutMs: requestTimeoutMs } as const
    const reply = await requestJson(asked, 'output')
    if (reply.status === 401) tokens.refused(bearer)
    return reply
  }

  return async (persons) => {
    const endMs = performance.now() + giveUpAfterMs
    for (let tries = 1; ; tries += 1) {
      const sentMs = performance.now()
      const outcome = await ask(persons).catch(asError)
      if (!(outcome instanceof Error) && outcome.status === 200)
        return answeredIn(outcome.json, { persons, sentMs, origin: url.origin })
      if (!(outcome instanceof Error) && outcome.status === 422 && persons.length > 1)
        return 'too_many'
      const error = readErrorOf(outcome, url)
      const waitMs = pauseMs(tries, retryAfterOf(outcome), Math.random)
      if (!isWorthIt(outcome, tries) || performance.now() + waitMs > endMs) throw error
      await pause(waitMs)
    }
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** A token may have been revoked meanwhile, so the first try is repeated after a 401. */
function isWorthIt(outcome: JsonReply | Error, tries: number): boolean {
  if (outcome instanceof Error) return !(outcome instanceof RejectedError)
  const { status } = outcome
  return status === 429 || status === 408 || status >= 500 || (status === 401 && tries === 1)
}

const retryAfterOf = (outcome: JsonReply | Error): number | undefined =>
  outcome instanceof Error ? undefined : retryAfterMsOf(outcome.headers['retry-after'], Date.now())

function readErrorOf(outcome: JsonReply | Error, { origin }: URL): ReadError {
  if (outcome instanceof RejectedError) return new ReadError('refused', outcome.message, outcome)
  if (outcome instanceof Error) return new ReadError('unreachable', outcome.message, outcome.cause)
  if (isElsewhere(outcome))
    return new ReadError('refused', wrongAddress('output', origin, `it returns ${outcome.status}`))
  const said = memberOf(outcome.json, 'detail')
  const message = typeof said === 'string' ? said : `output at ${origin} answers ${outcome.status}`
  return new ReadError(outcome.status >= 500 ? 'unreachable' : 'refused', message)
}

/** Returns whether another server responded: output has this path, auth and ingest do not. */
const isElsewhere = ({ status }: JsonReply): boolean => status === 404 || status === 405

type Asking = {
  readonly persons: readonly Asked[]
  readonly sentMs: number
  readonly origin: string
}

function answeredIn(json: unknown, { persons: { length }, sentMs, origin }: Asking): Answered {
  const persons = memberOf(json, 'persons')
  const maxAgeSeconds = memberOf(json, 'maxAgeSeconds')
  if (!Array.isArray(persons) || persons.length !== length || typeof maxAgeSeconds !== 'number')
    throw new ReadError('refused', wrongAddress('output', origin, 'it gives no keys'))
  return { keys: persons.map(keysIn), goodUntilMs: sentMs + maxAgeSeconds * 1_000 }
}

const reasons = ['erased', 'expired', 'refused', 'unknown'] as const satisfies EncryptedReason[]

function keysIn(person: unknown): KeysOrReason {
  const keys = memberOf(person, 'keys')
  if (isObject(keys)) return Object.values(keys).map((key) => Buffer.from(String(key), 'base64'))
  return reasons.find((reason) => memberOf(person, reason) === true) ?? 'unknown'
}

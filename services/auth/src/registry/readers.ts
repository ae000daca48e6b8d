// Who may read which schemas. The credentials and tokens of input streams and outputs, and API keys, may read the
// schemas of their own account. Failures are limited as for other uses of these secrets.
import { hasCode } from '@weir/kit'
import type { Gate } from '@weir/control-state'
import type { Callers } from '../access/callers.ts'
import { basicOf } from '../tokens/basic.ts'
import { refusal } from '../errors.ts'
import type { Call, Refusal } from '@weir/http-api'
import type { Authenticator } from '../tokens/authenticate.ts'

/**
 * Returns the caller's account.
 * @throws Refusal `invalid_credentials`, `too_many_failures`; for an API key, as `Callers.account` does
 */
export type Readers = (call: Call) => Promise<string>

export function createReaders(deps: {
  readonly callers: Pick<Callers, 'account'>
  readonly authenticator: Pick<Authenticator, 'bySecret'>
  readonly gate: Pick<Gate, 'check'>
}): Readers {
  const { callers, authenticator, gate } = deps
  return async (call) => {
    const authorization = call.header('authorization')
    if (authorization === undefined) throw nothingSent()
    if (/^basic /i.test(authorization))
      return (await authenticator.bySecret(basicOf(authorization))).stream.billingId
    if (isToken(authorization)) return (await accessOf(gate, authorization)).stream.billingId
    return (await callers.account(call, 'viewer')).billingId
  }
}

/** A JWT has two dots, and an API key has none. */
const isToken = (authorization: string): boolean =>
  /^bearer +[\w-]+\.[\w-]+\.[\w-]+ *$/i.test(authorization)

async function accessOf(gate: Pick<Gate, 'check'>, authorization: string) {
  try {
    return await gate.check(authorization)
  } catch (error) {
    if (!hasCode(error, 'control-state.invalid_token')) throw error
    throw refusal('invalid_credentials', error.message, { cause: error })
  }
}

const nothingSent = (): Refusal =>
  refusal(
    'invalid_credentials',
    "Send a stream's clientId and clientSecret as HTTP Basic, or its token or an API key as Bearer",
  )

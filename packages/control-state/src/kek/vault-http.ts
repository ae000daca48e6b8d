// Calls to Vault, with a time-out, and with retries for temporary errors. An error says what to check. It never
// contains the request, because the request contains a token.
import { backoff, codeIn, delay, hintFor, httpCall, readSettingFileNow } from '@weir/kit'
import type { HttpAnswer } from '@weir/kit'
import { ControlStateError } from '../errors.ts'

const TIMEOUT_MS = 5_000
const TRIES = 3

const HINTS = {
  address: 'VAULT_ADDR',
  ca: 'VAULT_CA_FILE',
  noTls: 'begin VAULT_ADDR with http://',
}

export type VaultCall = {
  readonly path: string
  readonly token: string | undefined
  /** Absent for a GET. */
  readonly body?: object
}
/**
 * Resolves with any response that a retry wouldn't change.
 * @throws ControlStateError `control-state.kms_unavailable`
 */
export type CallVault = (call: VaultCall) => Promise<HttpAnswer>

export function createCallVault(address: string, caFile: string | undefined): CallVault {
  const once = async ({ path, token, body }: VaultCall): Promise<HttpAnswer> => {
    try {
      return await httpCall(new URL(`${address}/v1/${path}`), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          'x-vault-request': 'true',
          ...(token === undefined ? {} : { 'x-vault-token': token }),
        },
        body: body && JSON.stringify(body),
        ca: caFile === undefined ? undefined : readSettingFileNow('VAULT_CA_FILE', caFile),
        timeoutMs: TIMEOUT_MS,
      })
    } catch (error) {
      const code = codeIn(error)
      const hint = hintFor(code, HINTS) ?? 'it does not answer'
      throw unavailable(`Vault: ${hint}${code === '' ? '' : ` (${code})`}`)
    }
  }
  return async (what) => {
    let failure: unknown
    let triesLeft = TRIES
    for (const pauseMs of backoff({ minMs: 50, maxMs: 1_000 })) {
      try {
        const answer = await once(what)
        if (answer.status < 429) return answer
        // Vault is not ready, is a standby, or limits requests. A retry may succeed.
        failure = unavailable(`Vault returns ${answer.status}`)
      } catch (error) {
        failure = error
      }
      triesLeft -= 1
      if (triesLeft === 0) throw failure
      await delay(pauseMs)
    }
    throw failure
  }
}

// No cause is attached, because a connection error may contain the request with its token.
const unavailable = (message: string) =>
  new ControlStateError('control-state.kms_unavailable', message)

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

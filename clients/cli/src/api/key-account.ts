// Asks auth to which account WEIR_API_KEY belongs. With a key of another account than the selected one, management
// requests would change that account, but topics and saved credentials would be those of the selected account.
import { adviceOnKey, requireApiKey, withBillingId } from '../accounts/account.ts'
import type { CliAccount } from '../accounts/account.ts'
import { failure } from '../errors.ts'
import type { CliError } from '../errors.ts'
import { textAt } from '../json.ts'
import { visible } from '../terminal/table.ts'
import { call, urlOf } from './request.ts'

/** Returns the response of GET /v2/account. @throws CliError if the key is not one of the account in use */
export async function readKeyAccount(account: CliAccount): Promise<unknown> {
  const url = urlOf(account.authUrl, ['v2', 'account'])
  const answer = await call(
    { method: 'GET', url, bearer: requireApiKey(account) },
    adviceOnKey(account),
  )
  const misfit = misfitOf(account, textAt(answer, 'billingId'))
  if (misfit !== undefined) throw misfit
  return answer
}

/** @throws CliError if auth does not accept the key */
export async function accountOfKey(account: CliAccount): Promise<CliAccount> {
  if (account.billingId !== undefined || account.apiKey === undefined) return account
  const billingId = textAt(await readKeyAccount(account), 'billingId')
  return billingId === undefined ? account : withBillingId(account, billingId)
}

/** A key from a file needs no check: it belongs to the account that the file names. */
export async function requireFittingKey(account: CliAccount): Promise<void> {
  if (account.isKeyFromEnv && account.billingId !== undefined) await readKeyAccount(account)
}

function misfitOf(account: CliAccount, owner: string | undefined): CliError | undefined {
  const { billingId, billingIdFrom, isKeyFromEnv } = account
  if (!isKeyFromEnv || billingId === undefined || owner === undefined || owner === billingId)
    return undefined
  const isVariable = billingIdFrom === 'WEIR_BILLING_ID'
  return failure(
    `WEIR_API_KEY is a key of the account ${visible(owner)}, but ${billingIdFrom} says ${billingId}`,
    isVariable
      ? 'Unset one of them, or set the key of the account that you want.'
      : `Unset WEIR_API_KEY, or set WEIR_BILLING_ID to ${visible(owner)}.`,
  )
}

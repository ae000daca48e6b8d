// Options for the addresses of an account's services. Also saves an account with its API key.
import type { Command } from 'commander'
import { saveLogin } from '../../accounts/account.ts'
import { profilePath, readProfile } from '../../accounts/profile.ts'
import type { ServiceAddresses } from '../../accounts/profile.ts'
import { httpAddress } from '../../input/options.ts'
import type { Session } from '../../session.ts'

export type AddressOptions = Partial<ServiceAddresses>

export const withAddresses = (command: Command): Command =>
  command
    .option('--auth-url <url>', 'the address of auth', httpAddress)
    .option('--ingest-url <url>', 'the address of ingest', httpAddress)
    .option('--output-url <url>', 'the address of output', httpAddress)

/** By default the new account has the addresses of the current one. */
export function addressesFor(session: Session, options: AddressOptions): ServiceAddresses {
  const account = session.account(true)
  return {
    authUrl: options.authUrl ?? account.authUrl,
    ingestUrl: options.ingestUrl ?? account.ingestUrl,
    outputUrl: options.outputUrl ?? account.outputUrl,
  }
}

export async function keepLogin(
  session: Session,
  billingId: string,
  saved: ServiceAddresses & { readonly apiKey: string },
): Promise<void> {
  const { profile } = session.account()
  await saveLogin(profile, billingId, saved)
  session.tell(`${billingId} is now the current account, saved in ${profile}.`)
}

/** Names an account to switch to. Without a current account, commands would use the demo, or fail. */
export function tellOthers(session: Session): void {
  const { current, accounts } = readProfile(profilePath(session.terminal.env))
  const other = Array.from(accounts).find(([, { apiKey }]) => apiKey !== undefined)
  if (current === undefined && other !== undefined)
    session.tell(`No account is current now. To use another: weir account use ${other[0]}`)
}

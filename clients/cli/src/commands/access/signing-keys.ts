// `weir signing-keys …`, for Weir's operators, with the platform key: makes auth sign tokens with a new key
// immediately, for example because the previous key may have been copied.
import type { Command } from 'commander'
import { call, urlOf } from '../../api/request.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readSecret } from '../../terminal/terminal.ts'

type RotateOptions = { readonly revoke?: boolean }

const advice = {
  401: 'This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.',
}

export function addSigningKeysCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('signing-keys')
    .description('the keys that sign tokens; needs the platform key')
  withExamples(
    noun
      .command('rotate')
      .summary('sign tokens with a new key from now on')
      .description(
        'sign tokens with a new key from now on. (Without this command auth changes the key every 30 days.) With --revoke ' +
          'all previous keys become invalid within a second, and with them every token and refresh token of every account. ' +
          'Clients then get new tokens with their secrets. Brokers still accept the old tokens for a while; the response ' +
          'says for how long. Receipts are signed with other keys and stay valid.',
      )
      .option('--revoke', 'make the tokens of all previous keys invalid')
      .action((options: RotateOptions, command: Command) => rotate(open(command), options)),
    [
      'weir signing-keys rotate < platform-key.txt',
      'tokens of the previous key stay valid until they expire',
    ],
    [
      'weir signing-keys rotate --revoke < platform-key.txt',
      'if someone may have a copy of the previous key',
    ],
  )
}

async function rotate(session: Session, { revoke = false }: RotateOptions): Promise<void> {
  const { authUrl } = session.account(true)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const url = urlOf(authUrl, ['v2', 'platform', 'signing-keys', 'rotate'])
  session.showRecord(await call({ method: 'POST', url, bearer, json: { revoke } }, advice))
}

// `weir signing-keys …`: for who runs Weir, by the platform key: a new key for tokens at once, for when a copy of the
// former may be in somebody's hands.
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
      .summary('use a new key to sign tokens at once')
      .description(
        'use a new key to sign tokens at once, not only after 30 days. With --revoke all former keys become invalid, and ' +
          'with them every token and refresh token of every account, within a second: clients get new ones with their secrets. ' +
          'Brokers need longer; the answer says how long. Receipts have other keys and stay valid.',
      )
      .option('--revoke', 'make the tokens of all former keys invalid')
      .action((options: RotateOptions, command: Command) => rotate(open(command), options)),
    [
      'weir signing-keys rotate < platform-key.txt',
      'tokens of the former key stay valid until they expire',
    ],
    [
      'weir signing-keys rotate --revoke < platform-key.txt',
      'if someone may have a copy of the former key',
    ],
  )
}

async function rotate(session: Session, { revoke = false }: RotateOptions): Promise<void> {
  const { authUrl } = session.account(true)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const url = urlOf(authUrl, ['v2', 'platform', 'signing-keys', 'rotate'])
  session.showRecord(await call({ method: 'POST', url, bearer, json: { revoke } }, advice))
}

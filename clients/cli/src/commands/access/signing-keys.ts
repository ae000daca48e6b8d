// `weir signing-keys …`: for who runs Weir, by the platform key: a new key for tokens at once, for when a copy of the
// former may be in somebody's hands.
import type { Command } from 'commander'
import { call, urlOf } from '../../api/request.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readSecret } from '../../terminal/terminal.ts'

type RotateOptions = { readonly revoke?: boolean }

const advice = {
  401: 'It takes the platform key (PLATFORM_KEY of auth), not the API key of an account.',
}

export function addSigningKeysCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('signing-keys')
    .description('the keys that tokens are signed with; needs the platform key')
  withExamples(
    noun
      .command('rotate')
      .summary('a new key signs tokens at once')
      .description(
        'a new key signs tokens at once; it would every 30 days by itself. With --revoke all former keys are gone, and ' +
          'with them every token and refresh token of every account within a second: clients get new ones by their secrets. ' +
          'Brokers need longer, which the answer says. Receipts have other keys and stay good.',
      )
      .option('--revoke', 'the tokens of all former keys are dead')
      .action((options: RotateOptions, command: Command) => rotate(open(command), options)),
    [
      'weir signing-keys rotate < platform-key.txt',
      'tokens of the former key stay good until their end',
    ],
    [
      'weir signing-keys rotate --revoke < platform-key.txt',
      'somebody may have a copy of the former key',
    ],
  )
}

async function rotate(session: Session, { revoke = false }: RotateOptions): Promise<void> {
  const { authUrl } = session.account(true)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const url = urlOf(authUrl, ['v2', 'platform', 'signing-keys', 'rotate'])
  session.showRecord(await call({ method: 'POST', url, bearer, json: { revoke } }, advice))
}

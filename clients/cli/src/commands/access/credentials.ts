// `weir credentials …`: creates and revokes credentials of a stream or output. A rotation does not revoke the old
// credentials, so that running clients can be changed first.
import type { Command } from 'commander'
import { Option } from 'commander'
import { forgetStreams } from '../../accounts/account.ts'
import { failure, misuse } from '../../errors.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { credentialIdsOf, findStream, saveNew, tellOnce } from '../../api/streams.ts'

type RotateOptions = { readonly save?: boolean; readonly scope?: 'send' | 'listen' }

export function addCredentialsCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('credentials')
    .description('the clientId and clientSecret of a stream or output')
  addRotate(noun, open)
  withExamples(
    noun
      .command('revoke')
      .description('revoke credentials: their tokens and WebSockets end within a second')
      .argument('<name>', 'a stream or output')
      .argument('[clientId]', 'the credentials to revoke; not needed if there is only one pair')
      .option('-y, --yes', "don't ask")
      .action(
        (
          name: string,
          clientId: string | undefined,
          options: { yes?: boolean },
          command: Command,
        ) => revoke(open(command), name, clientId, options.yes),
      ),
    ['weir credentials revoke clicks 7b0c6b0e-…', 'after a rotation, or a leak'],
  )
}

function addRotate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('rotate')
      .summary('create new credentials and print them')
      .description(
        'create new credentials and print them. Old credentials stay valid until they are revoked. ' +
          'If the profile already has credentials of this stream, the new ones replace them. ' +
          'With --scope, they replace them only if you also give --save. ' +
          'The ids of Kafka consumer groups begin with the clientId: with new credentials a reader has new groups, without the positions of the old ones.',
      )
      .argument('<name>', 'a stream or output')
      .option(
        '--save',
        'save the credentials in the profile, even if it contains none of this stream',
      )
      .addOption(
        new Option('--scope <scope>', 'what the credentials may do; without it, both').choices([
          'send',
          'listen',
        ]),
      )
      .action((name: string, options: RotateOptions, command: Command) =>
        rotate(open(command), name, options),
      ),
    [
      'weir credentials rotate clicks',
      'then give the new credentials to the clients, and revoke the old ones',
    ],
    ['weir credentials rotate clicks --save', 'to use the stream from this machine'],
    ['weir credentials rotate clicks --scope send -o json', 'for a producer that must not listen'],
  )
}

async function rotate(session: Session, name: string, options: RotateOptions): Promise<void> {
  const { path, record } = await findStream(session, name)
  const json = options.scope === undefined ? {} : { scope: options.scope }
  const answer = await session.manage({ method: 'POST', path: [...path, 'credentials'], json })
  // Shown before saving, because the service sends the secret only once.
  session.showRecord(answer)
  // Without `--save`, credentials with fewer scopes never replace the saved ones.
  const takesPlace = options.scope === undefined && session.account().streams.has(name)
  await (options.save || takesPlace
    ? saveNew(session, name, answer)
    : tellOnce(session, name, answer))
  for (const clientId of credentialIdsOf(record)) {
    session.tell(
      `Still valid: ${clientId}; revoke it with \`weir credentials revoke ${name} ${clientId}\`.`,
    )
  }
}

async function revoke(
  session: Session,
  name: string,
  given: string | undefined,
  yes: boolean | undefined,
): Promise<void> {
  const { path, record } = await findStream(session, name)
  const clientId = requireOne(name, credentialIdsOf(record), given)
  const question = `This revokes ${clientId} of ${name}. Its clients lose access immediately.`
  await session.confirm({ question, name }, yes)
  const answer = await session.manage({
    method: 'DELETE',
    path: [...path, 'credentials', clientId],
  })
  if (session.isJson) session.showRecord(answer ?? { revoked: clientId })
  else session.terminal.print(`Revoked ${clientId} of ${name}.`)
  const account = session.account()
  if (account.billingId !== undefined && account.streams.get(name)?.clientId === clientId) {
    await forgetStreams(account, account.billingId, [name])
  }
}

/** Returns the clientId to revoke. Throws if it is unknown or ambiguous. */
function requireOne(name: string, clientIds: readonly string[], given?: string): string {
  const [first, ...others] = clientIds
  if (first === undefined) throw failure(`${name} has no credentials`)
  if (given !== undefined && clientIds.includes(given)) return given
  if (given === undefined && others.length === 0) return first
  throw misuse(
    given === undefined
      ? `${name} has ${clientIds.length} credentials; say which of them to revoke`
      : `${name} has no credentials ${given}; say which of them to revoke`,
    ...clientIds.map((clientId) => `weir credentials revoke ${name} ${clientId}`),
  )
}

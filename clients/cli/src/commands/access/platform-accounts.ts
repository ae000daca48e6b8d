// `weir account create`, `key` and `delete`. The platform key is read from the environment, a hidden prompt or the
// input, never from the arguments.
import type { Command } from 'commander'
import { forgetAccount } from '../../accounts/account.ts'
import { profilePath } from '../../accounts/profile.ts'
import { call, urlOf } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { listAt, textAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readSecret } from '../../terminal/terminal.ts'
import { addressesFor, keepLogin, tellOthers, withAddresses } from './addresses.ts'
import type { AddressOptions } from './addresses.ts'

type CreateOptions = AddressOptions & { readonly save?: boolean }
type DeleteOptions = AddressOptions & { readonly yes?: boolean }

export function addPlatformCommands(noun: Command, open: OpenSession): void {
  addCreate(noun, open)
  addKey(noun, open)
  addDelete(noun, open)
}

function addCreate(noun: Command, open: OpenSession): void {
  withExamples(
    withAddresses(
      noun
        .command('create')
        .summary('create an account; prints it with its API key')
        .description(
          'create an account; prints it with its API key. Needs the platform key: weir asks for it without ' +
            'showing it, or takes it from the first line of standard input, or from WEIR_PLATFORM_KEY.',
        )
        .argument('<billingId>', 'lower-case letters, digits and single dashes, at most 63')
        .option('--save', 'save the account in the profile and make it the current one'),
    ).action((billingId: string, options: CreateOptions, command: Command) =>
      create(open(command), billingId, options),
    ),
    ['weir account create acme --save', 'asks for the platform key'],
    [
      'weir account create acme -o json < platform-key.txt > acme.json',
      'the file then contains the API key',
    ],
  )
}

function addKey(noun: Command, open: OpenSession): void {
  withExamples(
    withAddresses(
      noun
        .command('key')
        .summary('create an owner key for an account whose keys are lost')
        .description(
          'create an owner key for an account whose keys are lost; prints it. Other keys stay valid. Needs the platform key: ' +
            'weir asks for it without showing it, or takes it from the first line of standard input, or from ' +
            'WEIR_PLATFORM_KEY.',
        )
        .argument('<billingId>')
        .option(
          '--save',
          'save the account with this key in the profile and make it the current one',
        ),
    ).action((billingId: string, options: CreateOptions, command: Command) =>
      createWith(open(command), ['v2', 'accounts', billingId, 'keys'], { billingId, ...options }),
    ),
    ['weir account key acme --save', 'asks for the platform key'],
  )
}

function addDelete(noun: Command, open: OpenSession): void {
  withExamples(
    withAddresses(
      noun
        .command('delete')
        .summary('delete an account with everything in it')
        .description(
          'delete an account with its streams, contracts and API keys, and all events and keys. Needs the platform key: weir ' +
            'asks for it without showing it, or takes it from the first line of standard input, or from WEIR_PLATFORM_KEY.',
        )
        .argument('<billingId>')
        .option('-y, --yes', "don't ask"),
    ).action((billingId: string, options: DeleteOptions, command: Command) =>
      remove(open(command), billingId, options),
    ),
    ['weir account delete acme', 'asks for the name, and for the platform key'],
    ['weir account delete acme --yes < platform-key.txt', 'for a program: asks nothing'],
  )
}

async function remove(session: Session, billingId: string, options: DeleteOptions): Promise<void> {
  const { authUrl } = addressesFor(session, options)
  const question = `This deletes the account ${billingId} with its streams, contracts and API keys, and all events and keys. The records of its erasures and withdrawals are deleted, too, and nobody gets a receipt of them any more. Save the receipts first: weir erasure receipts FOLDER`
  await session.confirm({ question, name: billingId, isRequired: true }, options.yes)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const url = urlOf(authUrl, ['v2', 'accounts', billingId])
  const answer = await call({ method: 'DELETE', url, bearer }, { 401: platformKeyAdvice })
  const wasSaved = await forgetAccount(profilePath(session.terminal.env), billingId, authUrl)
  if (session.isJson) return session.showRecord(answer)
  const streams = listAt(answer, 'deleted').length
  session.terminal.print(`Deleted ${billingId}. Streams and outputs deleted with it: ${streams}.`)
  if (!wasSaved) return
  session.tell('It is no longer in your profile either.')
  tellOthers(session)
}

const platformKeyAdvice =
  'This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.'

const create = (session: Session, billingId: string, options: CreateOptions): Promise<void> =>
  createWith(session, ['v2', 'accounts'], { billingId, ...options }, { billingId })

const takenAdvice = (billingId: string): string =>
  `Choose another name. If the account is yours: \`weir account login\` saves its API key, \`weir account key ${billingId}\` creates one.`

type Creating = CreateOptions & { readonly billingId: string }

async function createWith(
  session: Session,
  path: readonly string[],
  { billingId, ...options }: Creating,
  json?: unknown,
): Promise<void> {
  const addresses = addressesFor(session, options)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const record = await call(
    { method: 'POST', url: urlOf(addresses.authUrl, path), bearer, json },
    { 401: platformKeyAdvice, ...(json === undefined ? {} : { 409: takenAdvice(billingId) }) },
  )
  // Shown before saving, because the service sends the key only once.
  session.showRecord(record)
  const apiKey = textAt(record, 'apiKey')
  if (!options.save)
    return session.tell(
      'The API key is not shown again. With --save it is also saved in the profile.',
    )
  if (apiKey === undefined) throw failure('the response contains no apiKey to save')
  await keepLogin(session, billingId, { ...addresses, apiKey })
}

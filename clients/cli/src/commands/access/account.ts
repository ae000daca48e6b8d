// `weir account …`: the current account, and the accounts in the profile. Keys are read from the environment, a hidden
// prompt or the input, never from the arguments, which other users of the machine can see.
import type { Command } from 'commander'
import { forgetAccount, keyOfEnvironment } from '../../accounts/account.ts'
import { call, urlOf } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { isObject, textAt, valueAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import { profilePath, readProfile, updateProfile } from '../../accounts/profile.ts'
import type { OpenSession, Session } from '../../session.ts'
import { renderDetails, renderTable } from '../../terminal/table.ts'
import { addressesFor, keepLogin, tellOthers, withAddresses } from './addresses.ts'
import type { AddressOptions } from './addresses.ts'
import { addPlatformCommands } from './platform-accounts.ts'
import { readSecret } from '../../terminal/terminal.ts'

type LoginOptions = AddressOptions & { readonly billingId?: string; readonly yes?: boolean }

export function addAccountCommands(program: Command, open: OpenSession): void {
  const noun = program.command('account').description('accounts: billing id, API key, addresses')
  withExamples(
    noun
      .command('show')
      .description(
        'the current account: its billing id and the addresses of its services and of Kafka',
      )
      .action((_options: unknown, command: Command) => show(open(command))),
    ['weir account show', 'the billing id and other data'],
    ['weir account show -o json | jq -r .billingId', 'only the billing id'],
  )
  addLogin(noun, open)
  addPlatformCommands(noun, open)
  withExamples(
    noun
      .command('list')
      .description('the accounts saved in the profile')
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir account list', 'shows which account is current'],
  )
  withExamples(
    noun
      .command('use')
      .description('switch to another account of the profile')
      .argument('<billingId>')
      .action((billingId: string, _options: unknown, command: Command) =>
        use(open(command), billingId),
      ),
    ['weir account use acme', 'for all commands from now on'],
    ['WEIR_BILLING_ID=acme weir stream list', 'for one command'],
  )
  addLogout(noun, open)
}

function addLogin(noun: Command, open: OpenSession): void {
  withExamples(
    withAddresses(
      noun
        .command('login')
        .summary('check an API key and save it in the profile')
        .description(
          'check an API key and save it in the profile. weir takes the key from WEIR_API_KEY if it is set, ' +
            'otherwise from the first line of standard input. On a terminal it asks for the key without showing it.',
        )
        .option('--billing-id <id>', 'refuse a key of another account')
        .option('-y, --yes', "don't ask before another key of the account is replaced"),
    ).action((options: LoginOptions, command: Command) => login(open(command), options)),
    ['weir account login', 'asks for the key'],
    [
      'weir account login --auth-url https://auth.example.org --ingest-url https://in.example.org \\\n' +
        '      --output-url https://out.example.org < key.txt',
      'for services on other machines, with the key from a file',
    ],
  )
}

function addLogout(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('logout')
      .description('remove an account, its API key and its saved credentials from the profile')
      .argument('<billingId>')
      .option('-y, --yes', "don't ask")
      .action((billingId: string, { yes }: { yes?: boolean }, command: Command) =>
        logout(open(command), billingId, yes),
      ),
    ['weir account logout acme', 'the account itself is not changed'],
  )
}

async function show(session: Session): Promise<void> {
  const record = await session.manage({ method: 'GET', path: ['account'] })
  const { authUrl, ingestUrl, outputUrl, analystBrokers } = session.account()
  const addresses = { authUrl, ingestUrl, outputUrl, analystBrokers }
  session.showRecord({ ...(isObject(record) ? record : {}), ...addresses }, renderAccount)
}

/** Weir's number for an unlimited quota. */
const noLimit = 999_999_999_999_999

export function renderAccount(account: unknown): string {
  const { quotas, ...rest } = isObject(account) ? account : {}
  const rows = Object.entries(isObject(quotas) ? quotas : {}).map(([name, quota]) => {
    const max = valueAt(quota, 'max')
    return [name, valueAt(quota, 'used'), max === noLimit ? 'no limit' : max]
  })
  return `${renderDetails(rest)}\n\n${renderTable(['QUOTA', 'USED', 'MAX'], rows)}`
}

async function login(session: Session, options: LoginOptions): Promise<void> {
  const addresses = addressesFor(session, options)
  const apiKey = await readSecret(session.terminal, 'API key', 'WEIR_API_KEY')
  const isFromEnv = session.account().isKeyFromEnv
  const advice = {
    401: isFromEnv ? keyOfEnvironment : 'Is the key complete, and is this the right address?',
  }
  const url = urlOf(addresses.authUrl, ['v2', 'account'])
  const shown = await call({ method: 'GET', url, bearer: apiKey }, advice)
  const billingId = textAt(shown, 'billingId')
  if (billingId === undefined) throw failure(`${url.origin} returned no billing id`, 'Is it Weir?')
  if (options.billingId !== undefined && options.billingId !== billingId) {
    throw failure(`the key belongs to the account ${billingId}, not ${options.billingId}`)
  }
  await confirmReplacement(session, { billingId, apiKey, url }, options.yes)
  await keepLogin(session, billingId, { ...addresses, apiKey })
  session.tell(`The role of its key: ${textAt(shown, 'key', 'role') ?? 'unknown'}.`)
  if (isFromEnv) session.tell('The key is from WEIR_API_KEY.')
  if (session.isJson) session.showRecord({ billingId, ...addresses })
}

type NewLogin = { readonly billingId: string; readonly apiKey: string; readonly url: URL }

/**
 * Asks before a saved key is replaced, because nobody can show a key again. The saved key may be the only owner key.
 */
async function confirmReplacement(
  session: Session,
  { billingId, apiKey, url }: NewLogin,
  yes: boolean | undefined,
): Promise<void> {
  const saved = readProfile(profilePath(session.terminal.env)).accounts.get(billingId)
  if (saved?.apiKey === undefined || saved.apiKey === apiKey) return
  if (new URL(saved.authUrl).origin !== url.origin) return
  const own = await call({ method: 'GET', url, bearer: saved.apiKey }).catch(() => undefined)
  const role = textAt(own, 'key', 'role')
  if (role === undefined) return
  const question = `The profile has another key of ${billingId}, with the role ${role}. This replaces it, and nobody can show it again. To keep both, set WEIR_CONFIG to another file.`
  await session.confirm({ question, name: billingId, isRequired: true }, yes)
  if (yes) session.tell(`It replaces a key with the role ${role}.`)
}

function list(session: Session): void {
  const { current, accounts } = readProfile(profilePath(session.terminal.env))
  const items = Array.from(accounts, ([billingId, { authUrl, apiKey, streams }]) => ({
    billingId,
    isInUse: billingId === current,
    hasApiKey: apiKey !== undefined,
    authUrl,
    savedStreams: Array.from(streams.keys()),
  }))
  session.showList({
    answer: items,
    items,
    columns: {
      'BILLING ID': (item) => item.billingId,
      'IN USE': (item) => item.isInUse,
      'API KEY': (item) => item.hasApiKey,
      AUTH: (item) => item.authUrl,
      'SAVED STREAMS': (item) => item.savedStreams,
    },
    whenEmpty: 'No accounts in the profile: `weir account login` saves one.',
  })
}

async function use(session: Session, billingId: string): Promise<void> {
  await updateProfile(profilePath(session.terminal.env), (profile) => {
    if (profile.accounts.get(billingId)?.apiKey === undefined) throw notKept(billingId)
    return { ...profile, current: billingId }
  })
  if (session.isJson) return session.showRecord({ billingId })
  session.tell(`${billingId} is now the current account.`)
}

async function logout(session: Session, billingId: string, yes?: boolean): Promise<void> {
  const saved = readProfile(profilePath(session.terminal.env)).accounts.get(billingId)
  if (saved === undefined) throw notKept(billingId)
  const lost = [
    ...(saved.apiKey === undefined ? [] : ['its API key']),
    ...(saved.streams.size === 0
      ? []
      : [`the credentials of ${[...saved.streams.keys()].join(', ')}`]),
  ].join(' and ')
  const question = `This removes ${lost} from the profile, and nobody can show them again.`
  if (lost !== '') await session.confirm({ question, name: billingId }, yes)
  if (!(await forgetAccount(profilePath(session.terminal.env), billingId))) throw notKept(billingId)
  if (session.isJson) return session.showRecord({ billingId })
  session.tell(`${billingId} is no longer in the profile.`)
  tellOthers(session)
}

const notKept = (billingId: string): Error =>
  failure(
    `the profile has no account ${billingId}`,
    '`weir account list` shows the saved accounts, `weir account login` adds one.',
  )

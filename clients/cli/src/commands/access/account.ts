// `weir account …`: the current account, and the accounts in the profile. Keys are read from the environment, a hidden
// prompt or the input, never from the arguments, which other users of the machine can see.
import type { Command } from 'commander'
import { saveLogin } from '../../accounts/account.ts'
import { call, urlOf } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { isObject, listAt, textAt, valueAt } from '../../json.ts'
import { httpAddress, withExamples } from '../../input/options.ts'
import { profilePath, readProfile, updateProfile } from '../../accounts/profile.ts'
import type { ServiceAddresses } from '../../accounts/profile.ts'
import type { OpenSession, Session } from '../../session.ts'
import { renderDetails, renderTable } from '../../terminal/table.ts'
import { readSecret } from '../../terminal/terminal.ts'

type AddressOptions = Partial<ServiceAddresses>
type LoginOptions = AddressOptions & { readonly billingId?: string }
type DeleteOptions = AddressOptions & { readonly yes?: boolean }
type CreateOptions = AddressOptions & { readonly save?: boolean }

export function addAccountCommands(program: Command, open: OpenSession): void {
  const noun = program.command('account').description('accounts: billing id, API key, addresses')
  withExamples(
    noun
      .command('show')
      .description('the current account: its billing id and the addresses of its services')
      .action((_options: unknown, command: Command) => show(open(command))),
    ['weir account show', 'the billing id and other data'],
    ['weir account show -o json | jq -r .billingId', 'only the billing id'],
  )
  addLogin(noun, open)
  addCreate(noun, open)
  addKey(noun, open)
  addDelete(noun, open)
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
          'check an API key and save it in the profile. weir asks for the key without showing it,  ' +
            'or takes it from the first line of standard input, or from WEIR_API_KEY.',
        )
        .option('--billing-id <id>', 'refuse a key of another account'),
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
      .action((billingId: string, _options: unknown, command: Command) =>
        logout(open(command), billingId),
      ),
    ['weir account logout acme', 'the account itself is not changed'],
  )
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

const withAddresses = (command: Command): Command =>
  command
    .option('--auth-url <url>', 'the address of auth', httpAddress)
    .option('--ingest-url <url>', 'the address of ingest', httpAddress)
    .option('--output-url <url>', 'the address of output', httpAddress)

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
  )
}

async function remove(session: Session, billingId: string, options: DeleteOptions): Promise<void> {
  const { authUrl } = addressesFor(session, options)
  const question = `This deletes the account ${billingId} with its streams, contracts and API keys, and all events and keys.`
  await session.confirm({ question, name: billingId }, options.yes)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const url = urlOf(authUrl, ['v2', 'accounts', billingId])
  const answer = await call({ method: 'DELETE', url, bearer }, { 401: platformKeyAdvice })
  if (session.isJson) return session.showRecord(answer)
  const streams = listAt(answer, 'deleted').length
  session.terminal.print(`Deleted ${billingId}. Streams and outputs deleted with it: ${streams}.`)
  session.tell(`\`weir account logout ${billingId}\` removes it from your profile, too.`)
}

const platformKeyAdvice =
  'This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.'

async function show(session: Session): Promise<void> {
  const record = await session.manage({ method: 'GET', path: ['account'] })
  const { authUrl, ingestUrl, outputUrl } = session.account()
  const addresses = { authUrl, ingestUrl, outputUrl }
  if (session.isJson || !isObject(record)) return session.showRecord(record)
  session.showRecord({ ...record, ...addresses }, renderAccount)
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
  const advice = { 401: 'Is the key complete, and is this the right address?' }
  const url = urlOf(addresses.authUrl, ['v2', 'account'])
  const billingId = textAt(await call({ method: 'GET', url, bearer: apiKey }, advice), 'billingId')
  if (billingId === undefined) throw failure(`${url.origin} returned no billing id`, 'Is it Weir?')
  if (options.billingId !== undefined && options.billingId !== billingId) {
    throw failure(`the key belongs to the account ${billingId}, not ${options.billingId}`)
  }
  await keep(session, billingId, { ...addresses, apiKey })
  if (session.isJson) session.showRecord({ billingId, ...addresses })
}

const create = (session: Session, billingId: string, options: CreateOptions): Promise<void> =>
  createWith(session, ['v2', 'accounts'], { billingId, ...options }, { billingId })

type Creating = CreateOptions & { readonly billingId: string }

/** An account or a key, with the platform key. */
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
    { 401: platformKeyAdvice },
  )
  // Shown before it is saved, because the service sends the key only once.
  session.showRecord(record)
  const apiKey = textAt(record, 'apiKey')
  if (!options.save)
    return session.tell(
      'The API key is not shown again. With --save it is also saved in the profile.',
    )
  if (apiKey === undefined) throw failure('the response contains no apiKey to save')
  await keep(session, billingId, { ...addresses, apiKey })
}

/** By default the new account has the addresses of the current one. */
function addressesFor(session: Session, options: AddressOptions): ServiceAddresses {
  const account = session.account(true)
  return {
    authUrl: options.authUrl ?? account.authUrl,
    ingestUrl: options.ingestUrl ?? account.ingestUrl,
    outputUrl: options.outputUrl ?? account.outputUrl,
  }
}

async function keep(
  session: Session,
  billingId: string,
  saved: ServiceAddresses & { readonly apiKey: string },
): Promise<void> {
  const { profile } = session.account()
  await saveLogin(profile, billingId, saved)
  session.tell(`${billingId} is now the current account, saved in ${profile}.`)
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

async function logout(session: Session, billingId: string): Promise<void> {
  await updateProfile(profilePath(session.terminal.env), ({ current, accounts }) => {
    if (!accounts.has(billingId)) throw notKept(billingId)
    const others = Array.from(accounts).filter(([id]) => id !== billingId)
    return { current: current === billingId ? undefined : current, accounts: new Map(others) }
  })
  if (session.isJson) return session.showRecord({ billingId })
  session.tell(`${billingId} is no longer in the profile.`)
}

const notKept = (billingId: string): Error =>
  failure(
    `the profile has no account ${billingId}`,
    '`weir account list` shows the saved accounts, `weir account login` adds one.',
  )

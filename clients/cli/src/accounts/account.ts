// Decides which account a command uses: the demo's with `--demo`, else the environment's (WEIR_*), else the profile's
// current one, else the demo's. Also saves logins and credentials in the profile.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { areOnThisMachine, findDemo, isOnThisMachine } from './demo.ts'
import type { Demo } from './demo.ts'
import { failure, misuse } from '../errors.ts'
import {
  defaultAddresses,
  defaultAnalystBrokers,
  profilePath,
  readProfile,
  updateProfile,
} from './profile.ts'
import type {
  ServiceAddresses,
  StreamCredentials,
  Environment,
  Profile,
  SavedAccount,
} from './profile.ts'

export type CliAccount = ServiceAddresses & {
  readonly billingId: string | undefined
  /** For messages: the variable, option or file with the billing id. */
  readonly billingIdFrom: string
  readonly apiKey: string | undefined
  readonly isKeyFromEnv: boolean
  /** Kafka's listener for clients with a stream's credentials. */
  readonly analystBrokers: string
  /** The prefix of topics and groups in this Kafka. */
  readonly kafkaPrefix: string
  readonly streams: ReadonlyMap<string, StreamCredentials>
  /** From the environment; used for every stream. */
  readonly credentials: StreamCredentials | undefined
  readonly demo: Demo | undefined
  readonly profile: string
  /** WEIR_CONFIG names the profile. */
  readonly isProfileNamed: boolean
  /** For messages: the file that the account is from, or WEIR_API_KEY. */
  readonly source: string
}

export type AccountChoice = {
  readonly env: Environment
  readonly cwd: string
  /** `--demo`: use the demo despite a login. */
  readonly wantsDemo: boolean
  /** The command will send a key that is not from the profile or the demo's file. */
  readonly bringsKey: boolean
}

export function resolveAccount(choice: AccountChoice): CliAccount {
  const { env } = choice
  const path = profilePath(env)
  const profile = readProfile(path)
  const wanted = env.WEIR_BILLING_ID || profile.current
  const saved = wanted === undefined ? undefined : profile.accounts.get(wanted)
  const demo = chooseDemo(choice, wanted, saved)
  const base = demo ?? saved ?? { ...defaultAddresses, apiKey: undefined, streams: new Map() }
  // Auth knows the account of WEIR_API_KEY.
  const fallback = env.WEIR_API_KEY ? undefined : demo?.billingId
  const billingId = demo && choice.wantsDemo ? demo.billingId : (wanted ?? fallback)
  const addresses = {
    authUrl: env.WEIR_AUTH_URL || base.authUrl,
    ingestUrl: env.WEIR_INGEST_URL || base.ingestUrl,
    outputUrl: env.WEIR_OUTPUT_URL || base.outputUrl,
  }
  const own = savedStreams(profile, billingId, addresses)
  const credentials = credentialsFrom(env)
  const bringsOwn = own.size > 0 || credentials !== undefined
  return {
    ...addresses,
    billingId,
    billingIdFrom: chooserOf(choice, profile) ?? demo?.path ?? path,
    apiKey: env.WEIR_API_KEY || base.apiKey,
    isKeyFromEnv: Boolean(env.WEIR_API_KEY),
    analystBrokers: env.WEIR_ANALYST_BROKERS || brokersOf(demo, bringsOwn) || defaultAnalystBrokers,
    kafkaPrefix: env.WEIR_KAFKA_PREFIX ?? demo?.kafkaPrefix ?? '',
    streams: new Map([...(billingId === undefined ? [] : base.streams), ...own]),
    credentials,
    demo,
    profile: path,
    isProfileNamed: Boolean(env.WEIR_CONFIG),
    source: env.WEIR_API_KEY ? 'from WEIR_API_KEY' : (demo?.path ?? path),
  }
}

function chooserOf({ env, wantsDemo }: AccountChoice, profile: Profile): string | undefined {
  if (wantsDemo) return '--demo'
  if (env.WEIR_BILLING_ID) return 'WEIR_BILLING_ID'
  return profile.current === undefined ? undefined : profilePath(env)
}

function chooseDemo(
  { env, cwd, wantsDemo, bringsKey }: AccountChoice,
  wanted: string | undefined,
  saved: SavedAccount | undefined,
): Demo | undefined {
  if (!wantsDemo && saved?.apiKey !== undefined) return undefined
  const demo = findDemo(cwd)
  const ownKey = bringsKey || env.WEIR_API_KEY || env.WEIR_CLIENT_SECRET
  const wouldLeak = demo !== undefined && ownKey && !isOnThisMachine(demo)
  if (wantsDemo) {
    if (wouldLeak)
      throw failure(
        `${demo.path} has addresses on other machines, and your own key or secret would be sent there`,
        'Unset WEIR_API_KEY and WEIR_CLIENT_SECRET, or leave --demo out.',
      )
    if (demo) return demo
    throw failure(
      'there is no .weir/demo.json in this folder or above it',
      '`npm start` in the repository starts the demo and writes this file.',
    )
  }
  if (demo === undefined || (wanted !== undefined && wanted !== demo.billingId)) return undefined
  return wouldLeak ? undefined : demo
}

/** With credentials that aren't the demo's, the demo's brokers are only used if they are on this machine. */
function brokersOf(demo: Demo | undefined, bringsOwn: boolean): string | undefined {
  const brokers = demo?.analystBrokers
  return brokers !== undefined && (!bringsOwn || areOnThisMachine(brokers)) ? brokers : undefined
}

/** An account of the same name at another address is another account. */
function savedStreams(
  profile: Profile,
  billingId: string | undefined,
  { authUrl }: ServiceAddresses,
): ReadonlyMap<string, StreamCredentials> {
  const saved = billingId === undefined ? undefined : profile.accounts.get(billingId)
  return saved?.authUrl === authUrl ? saved.streams : new Map()
}

/** Returns the account with this billing id, and with the credentials that the profile and the demo have for it. */
export const withBillingId = (account: CliAccount, billingId: string): CliAccount => ({
  ...account,
  billingId,
  streams: new Map([
    ...(account.demo?.billingId === billingId ? account.demo.streams : []),
    ...savedStreams(readProfile(account.profile), billingId, account),
  ]),
})

function credentialsFrom(env: Environment): StreamCredentials | undefined {
  const clientId = env.WEIR_CLIENT_ID
  const clientSecret = env.WEIR_CLIENT_SECRET
  if (clientId && clientSecret) return { clientId, clientSecret }
  if (!clientId && !clientSecret) return undefined
  throw misuse('set both WEIR_CLIENT_ID and WEIR_CLIENT_SECRET, or neither')
}

export function requireBillingId(account: CliAccount): string {
  if (account.billingId) return account.billingId
  if (account.credentials !== undefined)
    throw failure(
      'no account selected',
      'Beside WEIR_CLIENT_ID and WEIR_CLIENT_SECRET, set WEIR_BILLING_ID.',
    )
  throw failure(
    'no account selected',
    ...missingProfile(account),
    'Log in with `weir account login`, or set WEIR_API_KEY,',
    'or run weir in the folder of a running demo (`npm start`).',
  )
}

/** For messages about something that this account may not have. */
export function accountInWords(account: CliAccount): string {
  const { billingId, billingIdFrom, isKeyFromEnv, source } = account
  if (billingId === undefined) return `the account ${source}`
  const isNamed = billingIdFrom === 'WEIR_BILLING_ID' && !isKeyFromEnv
  return `the account ${billingId}, ${isNamed ? 'from WEIR_BILLING_ID' : source}`
}

export const requireTopic = (account: CliAccount, name: string): string =>
  `${account.kafkaPrefix}${requireBillingId(account)}.${name}`

/** Returns the required beginning of consumer group ids for these credentials. */
export const consumerGroupOf = (
  { kafkaPrefix }: CliAccount,
  { clientId }: StreamCredentials,
): string => kafkaPrefix + clientId

/** Returns advice if WEIR_CONFIG names a missing file, which is why no account is known. */
export const missingProfile = ({
  billingId,
  profile,
  isProfileNamed,
}: Pick<CliAccount, 'billingId' | 'profile' | 'isProfileNamed'>): readonly string[] =>
  billingId === undefined && isProfileNamed && !existsSync(profile)
    ? [`WEIR_CONFIG names ${resolve(profile)}, and there is no such file.`]
    : []

export function requireApiKey(account: CliAccount): string {
  if (account.apiKey) return account.apiKey
  throw failure(
    account.billingId === undefined
      ? 'no API key'
      : `no API key for the account ${account.billingId}`,
    ...missingProfile(account),
    ...(account.credentials === undefined && account.streams.size === 0
      ? []
      : [
          "A stream's credentials are not enough for this. Ask the account's owner for a key, then:",
        ]),
    'Log in with `weir account login`, or set WEIR_API_KEY,',
    'or run weir in the folder of a running demo (`npm start`).',
  )
}

export const keyOfEnvironment =
  'The key is from WEIR_API_KEY, which takes precedence over standard input and the profile: set another one, or unset it.'

export const adviceOnKey = ({ isKeyFromEnv }: CliAccount): Readonly<Record<number, string>> =>
  isKeyFromEnv ? { 401: keyOfEnvironment } : {}

/** Returns the credentials of the environment, otherwise of the profile or the demo. */
export const savedCredentials = (
  { credentials, streams }: CliAccount,
  name: string,
): StreamCredentials | undefined => credentials ?? streams.get(name)

/** Saves an account with its API key, and makes it the current one. */
export const saveLogin = (
  path: string,
  billingId: string,
  login: ServiceAddresses & { readonly apiKey: string },
): Promise<void> =>
  updateProfile(path, (profile) => {
    const streams = savedStreams(profile, billingId, login)
    return withAccount({ ...profile, current: billingId }, billingId, { ...login, streams })
  })

/** Returns whether it removed the account. With `authUrl`, only an account at this address is removed. */
export async function forgetAccount(
  path: string,
  billingId: string,
  authUrl?: string,
): Promise<boolean> {
  const saved = readProfile(path).accounts.get(billingId)
  if (saved === undefined || (authUrl !== undefined && saved.authUrl !== authUrl)) return false
  await updateProfile(path, ({ current, accounts }) => ({
    current: current === billingId ? undefined : current,
    accounts: new Map(Array.from(accounts).filter(([id]) => id !== billingId)),
  }))
  return true
}

export const saveCredentials = (
  account: CliAccount,
  billingId: string,
  name: string,
  credentials: StreamCredentials,
): Promise<void> =>
  updateProfile(account.profile, (profile) => {
    const saved = profile.accounts.get(billingId)
    if (saved?.apiKey !== undefined && saved.authUrl !== account.authUrl) {
      throw failure(
        `the profile has the address ${saved.authUrl} for the account ${billingId}, so nothing was saved`,
        'To keep both, set WEIR_CONFIG to another file.',
      )
    }
    const streams = new Map(savedStreams(profile, billingId, account)).set(name, credentials)
    // The addresses of the login stay, even if the environment has others.
    const { authUrl, ingestUrl, outputUrl } = saved?.apiKey === undefined ? account : saved
    const entry = { authUrl, ingestUrl, outputUrl, apiKey: saved?.apiKey, streams }
    return withAccount(profile, billingId, entry)
  })

export async function forgetStreams(
  account: CliAccount,
  billingId: string,
  names: readonly string[],
): Promise<void> {
  const saved = savedStreams(readProfile(account.profile), billingId, account)
  if (!names.some((name) => saved.has(name))) return
  await updateProfile(account.profile, (profile) => {
    const entry = profile.accounts.get(billingId)
    if (entry === undefined || entry.authUrl !== account.authUrl) return profile
    const streams = new Map(entry.streams)
    for (const name of names) streams.delete(name)
    return withAccount(profile, billingId, { ...entry, streams })
  })
}

const withAccount = (profile: Profile, billingId: string, entry: SavedAccount): Profile => ({
  ...profile,
  accounts: new Map(profile.accounts).set(billingId, entry),
})

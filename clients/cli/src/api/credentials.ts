// Finds a stream's credentials for one command, in the environment, the profile or the demo. With only an API key, some
// commands create temporary credentials.
import { missingProfile, savedCredentials } from '../accounts/account.ts'
import type { StreamCredentials } from '../accounts/profile.ts'
import { CliError, failure } from '../errors.ts'
import { didYouMean } from '../input/nearest.ts'
import { listAt, textAt, textsAt } from '../json.ts'
import type { Session } from '../session.ts'
import { claimsOf } from './id-token.ts'
import { isOutput } from './not-found.ts'
import { adviceOnDemo, findStream, newCredentials } from './streams.ts'

/**
 * Returns saved credentials, and never creates any. `scope` is for the error's advice: the scope that is needed, if not
 * both.
 * @throws CliError if no credentials are saved for this stream
 */
export async function requireCredentials(
  session: Session,
  name: string,
  scope?: 'listen',
): Promise<StreamCredentials> {
  const account = await session.knownAccount()
  const saved = savedCredentials(account, name)
  if (saved !== undefined) return saved
  if (account.apiKey === undefined) throw withoutKey(session, name)
  const { path } = await findStream(session, name)
  const shown = await session.manage({ method: 'GET', path: ['account'] }).catch(() => undefined)
  const mayCreate = creatorsOf(path).includes(textAt(shown, 'key', 'role') ?? 'owner')
  throw failure(
    `no credentials for ${name} are saved in ${account.profile}`,
    ...missingProfile(account),
    ...adviceOnDemo(session, name),
    ...(mayCreate
      ? [
          `Create new ones with \`weir credentials rotate ${name} --save\`,`,
          'or set WEIR_CLIENT_ID and WEIR_CLIENT_SECRET.',
        ]
      : askForCredentials(path, name, path.length > 2 ? 'listen' : scope)),
  )
}

const creatorsOf = (path: readonly string[]): readonly string[] =>
  path.length > 2 ? ['owner'] : ['owner', 'developer']

/** Returns the advice for a key whose role may not create credentials. */
const askForCredentials = (
  path: readonly string[],
  name: string,
  scope: 'send' | 'listen' | undefined,
): readonly string[] => [
  `Set WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET to credentials of ${name}.`,
  `A key with the role ${creatorsOf(path).join(' or ')} creates them: weir credentials rotate ${name}${scope === undefined ? '' : ` --scope ${scope}`}`,
]

type Needed = {
  readonly name: string
  /** The scope of new credentials. */
  readonly scope: 'send' | 'listen'
  /** The credentials must be able to read the stream's topic in Kafka. Other saved credentials are not used. */
  readonly isForKafka?: boolean
}

/**
 * Returns whether the scope of saved credentials is enough; true if it is unknown. Credentials of an input stream may
 * read its topic only if their scope is `listen` alone.
 */
async function isEnough(
  session: Session,
  { clientId }: StreamCredentials,
  { name, scope, isForKafka }: Needed,
): Promise<boolean> {
  const account = session.account()
  if (account.apiKey === undefined || account.credentials?.clientId === clientId) return true
  const found = await findStream(session, name).catch(() => undefined)
  const own = listAt(found?.record, 'credentials').find(
    (one) => textAt(one, 'clientId') === clientId,
  )
  if (found?.path.length !== 2 || own === undefined) return true
  const scopes = textsAt(own, 'scope')
  return isForKafka === true ? scopes.join() === 'listen' : scopes.includes(scope)
}

/**
 * Calls `use` with saved credentials or with temporary ones. A signal must end `use`, so that temporary credentials are
 * deleted.
 */
export async function withCredentials<T>(
  session: Session,
  needed: Needed,
  use: (credentials: StreamCredentials) => Promise<T>,
): Promise<T> {
  const { name, scope } = needed
  const account = await session.knownAccount()
  const saved = savedCredentials(account, name)
  if (saved && (await isEnough(session, saved, needed))) return use(saved)
  if (account.apiKey === undefined) throw withoutKey(session, name)
  const { path } = await findStream(session, name)
  if (scope === 'send' && path.length > 2) throw isOutput(name, path[1])
  if (saved) session.terminal.note(insteadOf(name, needed))
  const json = { scope }
  const made = await session
    .manage({ method: 'POST', path: [...path, 'credentials'], json })
    .catch((error: unknown) => {
      if (!(error instanceof CliError) || error.status !== 403) throw error
      const advice = askForCredentials(path, name, scope)
      const message = `the role of this API key may not create credentials of ${name} (403)`
      throw new CliError(1, message, { advice, status: 403, page: error.page })
    })
  const credentials = newCredentials(made)
  if (credentials === undefined) throw failure('the response contains no credentials')
  const { clientId } = credentials
  const remove = (): Promise<unknown> =>
    session.manage({ method: 'DELETE', path: [...path, 'credentials', clientId] })
  try {
    return await use(credentials)
  } finally {
    await remove().catch((error: unknown) => {
      // Credentials are deleted with their stream.
      if (error instanceof CliError && error.status === 404) return
      session.tell(
        `The temporary credentials could not be deleted: weir credentials revoke ${name} ${clientId}`,
      )
    })
  }
}

const insteadOf = (name: string, { scope, isForKafka }: Needed): string =>
  `The saved credentials of ${name} may not ${isForKafka ? 'read its topic' : scope}. ` +
  'Using temporary ones, created with the API key.'

/**
 * Refuses an output's token, because nobody can send to an output. @throws CliError, which names the input stream if it
 * is known
 */
export async function refuseOutput(session: Session, name: string, token: string): Promise<void> {
  if (!claimsOf(token).isOutput) return
  const hasKey = session.account().apiKey !== undefined
  const found = hasKey ? await findStream(session, name).catch(() => undefined) : undefined
  throw isOutput(name, found?.path[1])
}

/**
 * Returns the advice for credentials that may not read. The variables are set for one command only, because exported
 * variables apply to every later command.
 */
export const readerAdvice = (name: string, command: 'export' | 'kafka'): readonly string[] => [
  'Use an output. For an input stream, create credentials that may only listen, and set them for this command:',
  `weir credentials rotate ${name} --scope listen`,
  `WEIR_CLIENT_ID=… WEIR_CLIENT_SECRET=… weir ${command} ${name}${command === 'export' ? ' FILE' : ''}`,
]

function withoutKey(session: Session, name: string): CliError {
  const account = session.account()
  return failure(
    `no credentials for ${name} are saved in ${account.profile}${didYouMean(name, [...account.streams.keys()])}`,
    ...missingProfile(account),
    ...adviceOnDemo(session, name),
    'Log in with `weir account login`, or set WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET.',
  )
}

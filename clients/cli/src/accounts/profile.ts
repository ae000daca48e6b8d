// Reads and writes the profile: accounts with their logins and saved credentials, in one file that only its owner can
// read. Each change replaces the whole file under a lock. So two commands at the same time lose no change, and a reader
// never sees an incomplete file.
import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { failure } from '../errors.ts'
import { fileFault } from '../file-fault.ts'
import { isObject, parseJson, textAt, valueAt } from '../json.ts'

export type StreamCredentials = { readonly clientId: string; readonly clientSecret: string }

export type ServiceAddresses = {
  readonly authUrl: string
  readonly ingestUrl: string
  readonly outputUrl: string
}

/** An account without an API key has only saved credentials, no login. */
export type SavedAccount = ServiceAddresses & {
  readonly apiKey: string | undefined
  readonly streams: ReadonlyMap<string, StreamCredentials>
}

export type Profile = {
  /** The billing id of the current account. */
  readonly current: string | undefined
  readonly accounts: ReadonlyMap<string, SavedAccount>
}

export type Environment = Readonly<Record<string, string | undefined>>

export const defaultAddresses: ServiceAddresses = {
  authUrl: 'http://127.0.0.1:8081',
  ingestUrl: 'http://127.0.0.1:8082',
  outputUrl: 'http://127.0.0.1:8083',
}

export const defaultAnalystBrokers = '127.0.0.1:9094'

const lockWaitMs = 5000

/** Returns WEIR_CONFIG, otherwise weir/config.json under XDG_CONFIG_HOME (which must be absolute) or ~/.config. */
export function profilePath(env: Environment): string {
  if (env.WEIR_CONFIG) return env.WEIR_CONFIG
  const xdg = env.XDG_CONFIG_HOME
  const folder = xdg && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), '.config')
  return join(folder, 'weir', 'config.json')
}

/** A missing file is an empty profile. */
export function readProfile(path: string): Profile {
  let text: string
  try {
    text = fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return { current: undefined, accounts: new Map() }
    throw failure(fileFault(`the profile ${path}`, error, 'read'))
  }
  return parseProfile(parseJson(text, `the profile ${path}`, 'Correct or remove the file.'))
}

export async function updateProfile(
  path: string,
  change: (profile: Profile) => Profile,
): Promise<void> {
  try {
    makeFolder(dirname(path))
    await lock(path)
  } catch (error) {
    if (!isErrno(error)) throw error
    throw failure(fileFault(`the profile ${path}`, error, 'written'))
  }
  try {
    replaceFile(path, `${JSON.stringify(profileJson(change(readProfile(path))), null, 2)}\n`)
  } finally {
    fs.rmSync(lockPath(path), { force: true })
  }
}

function parseProfile(json: unknown): Profile {
  const accounts = valueAt(json, 'accounts')
  return {
    current: textAt(json, 'current'),
    accounts: new Map(
      Object.entries(isObject(accounts) ? accounts : {}).map(([id, json]) => [
        id,
        parseAccount(json),
      ]),
    ),
  }
}

function parseAccount(json: unknown): SavedAccount {
  const streams = valueAt(json, 'streams')
  return {
    authUrl: textAt(json, 'authUrl') ?? defaultAddresses.authUrl,
    ingestUrl: textAt(json, 'ingestUrl') ?? defaultAddresses.ingestUrl,
    outputUrl: textAt(json, 'outputUrl') ?? defaultAddresses.outputUrl,
    apiKey: textAt(json, 'apiKey'),
    streams: new Map(
      Object.entries(isObject(streams) ? streams : {}).flatMap(([name, json]) => {
        const credentials = parseCredentials(json)
        return credentials ? [[name, credentials] as const] : []
      }),
    ),
  }
}

export function parseCredentials(json: unknown): StreamCredentials | undefined {
  const clientId = textAt(json, 'clientId')
  const clientSecret = textAt(json, 'clientSecret')
  return clientId && clientSecret ? { clientId, clientSecret } : undefined
}

const profileJson = (profile: Profile): unknown => ({
  current: profile.current,
  accounts: Object.fromEntries(
    Array.from(profile.accounts, ([id, account]) => [
      id,
      { ...account, streams: Object.fromEntries(account.streams) },
    ]),
  ),
})

const lockPath = (path: string): string => `${path}.lock`

async function lock(path: string): Promise<void> {
  const deadline = Date.now() + lockWaitMs
  for (;;) {
    try {
      fs.closeSync(fs.openSync(lockPath(path), 'wx', 0o600))
      return
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
    if (Date.now() > deadline) {
      throw failure(
        `another weir process has locked the profile for ${lockWaitMs / 1000} s`,
        `If no other weir process runs, remove ${lockPath(path)}: a killed process has left it.`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40))
  }
}

/** Creates a missing folder as a private one. Never changes an existing folder. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    // Creates one folder at a time, because Node's option `recursive` never ends under /proc.
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

/** If the profile is a link, its target is replaced. */
function replaceFile(path: string, text: string): void {
  const target = fs.existsSync(path) ? fs.realpathSync(path) : path
  const draft = `${target}.${process.pid}.tmp`
  fs.writeFileSync(draft, text, { mode: 0o600, flush: true })
  fs.renameSync(draft, target)
}

const isErrno = (error: unknown, code?: string): boolean => {
  const found = textAt(error, 'code')
  return found !== undefined && (code === undefined || found === code)
}

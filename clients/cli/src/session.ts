// A session is one run of a command: its terminal, options and account. It shows results as tables, or with `-o json`
// as the unchanged response.
import type { Command } from 'commander'
import { adviceOnKey, requireApiKey, resolveAccount } from './accounts/account.ts'
import type { CliAccount } from './accounts/account.ts'
import { accountOfKey, requireFittingKey } from './api/key-account.ts'
import { explainNotFound } from './api/not-found.ts'
import { call, urlOf } from './api/request.ts'
import type { Advice } from './api/request.ts'
import { failure, misuse } from './errors.ts'
import { isObject, textsAt } from './json.ts'
import { renderDetails, renderTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export type GlobalOptions = {
  /** A format; for a command that writes a file, the file's name. */
  readonly output?: string
  readonly demo?: boolean
}

export type SessionCalls = {
  /** The account of this run, read at the first call. `bringsKey`: see account.ts. */
  account(bringsKey?: boolean): CliAccount
  /** Like `account`. If the billing id is unknown, asks auth for the billing id of the API key. */
  knownAccount(): Promise<CliAccount>
  /** Sends a request to /<version>/<path> of auth or output, with the account's API key. */
  manage(call: ManagementCall): Promise<unknown>
}

export type Telling = {
  /** `renderText` replaces the default text, which has one member per line. */
  showRecord(record: unknown, renderText?: (record: unknown) => string): void
  showList<Item>(list: List<Item>): void
  /** Prints a message for people. With `-o json` or `-o csv` it prints nothing. */
  tell(text: string): void
  /**
   * Asks for confirmation, unless `yes`. If no person can answer, the command continues, unless `isRequired`.
   */
  confirm(what: Confirmation, yes: boolean | undefined): Promise<void>
}

/** The user confirms by typing `name`. */
export type Confirmation = {
  readonly question: string
  readonly name: string
  /** Ask even if standard input is not a terminal: it may contain a key. */
  readonly isRequired?: boolean
}

export type Session = SessionCalls &
  Telling & {
    readonly terminal: Terminal
    /** The value of `-o`: see `GlobalOptions`. */
    readonly format: string
    readonly isJson: boolean
  }

export type ManagementCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: readonly string[]
  /** Default: v2. */
  readonly version?: 'v1' | 'v2'
  /** Default: auth. */
  readonly service?: 'output'
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly advice?: Advice
}

export type List<Item> = {
  /** What `-o json` prints. */
  readonly answer: unknown
  readonly items: readonly Item[]
  readonly columns: Readonly<Record<string, (item: Item) => unknown>>
  /** Shown instead of an empty table. */
  readonly whenEmpty: string
}

export type OpenSession = (command: Command) => Session

export function createSession(
  terminal: Terminal,
  options: GlobalOptions & { readonly output: string },
): Session {
  const format = options.output
  const isJson = format === 'json'
  const telling = tellingOf(terminal, format)
  let resolved: CliAccount | undefined
  const account = (bringsKey = false): CliAccount => {
    if (resolved) return resolved
    const { env, cwd } = terminal
    resolved = resolveAccount({ env, cwd, wantsDemo: options.demo === true, bringsKey })
    // A command that brings its own key uses only the demo's addresses.
    if (resolved.demo && !bringsKey)
      telling.tell(
        `(using the ${resolved.billingId === undefined ? 'addresses' : 'demo account'} of ${resolved.demo.path})`,
      )
    return resolved
  }
  const knownAccount = async () => (resolved = await accountOfKey(account()))
  const look = (path: readonly string[]) => callManagement(account(), { method: 'GET', path })
  let fitting: Promise<void> | undefined
  const manage = async (what: ManagementCall): Promise<unknown> => {
    fitting ??= requireFittingKey(account())
    await fitting
    return callManagement(account(), what).catch(async (error: unknown) => {
      throw await explainNotFound(error, what, { account: account(), look })
    })
  }
  return { terminal, format, isJson, account, knownAccount, manage, ...telling }
}

const secretMember = /"(clientSecret|apiKey|idToken|salt)":/

/** Removes the warnings, which are shown on standard error. */
function withoutWarnings(record: unknown): unknown {
  if (!isObject(record)) return record
  const { warnings: _, ...rest } = record
  return rest
}

function tellingOf(terminal: Terminal, format: string): Telling {
  const isJson = format === 'json'
  const tell = (text: string): void => {
    if (!isJson && format !== 'csv') terminal.note(text)
  }
  const show = (answer: unknown, table: () => string): void => {
    if (secretMember.test(JSON.stringify(answer) ?? '')) terminal.keepPrivate()
    terminal.print(isJson ? JSON.stringify(answer, null, 2) : table())
  }
  return {
    showRecord: (record, renderText = renderDetails) => {
      show(record, () => renderText(withoutWarnings(record)))
      for (const warning of textsAt(record, 'warnings')) terminal.note(`warning: ${warning}`)
    },
    showList: ({ answer, items, columns, whenEmpty }) => {
      if (items.length === 0 && !isJson) return tell(whenEmpty)
      const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
      show(answer, () => renderTable(Object.keys(columns), rows))
    },
    tell,
    confirm: (what, yes) => confirm(terminal, what, yes),
  }
}

function callManagement(account: CliAccount, what: ManagementCall): Promise<unknown> {
  const { method, path, version = 'v2', service, query, json, advice } = what
  return call(
    {
      method,
      url: urlOf(
        service === 'output' ? account.outputUrl : account.authUrl,
        [version, ...path],
        query,
      ),
      bearer: requireApiKey(account),
      ...(json === undefined ? {} : { json }),
    },
    { ...adviceOnKey(account), ...advice },
  )
}

/** Asks for the name, so that a line that was pasted with the command can't be the confirmation. */
async function confirm(
  terminal: Terminal,
  { question, name, isRequired = false }: Confirmation,
  yes: boolean | undefined,
): Promise<void> {
  if (yes || !(isRequired || terminal.isInteractive)) return
  terminal.note(question)
  const answer = await terminal.ask(`Type ${name} to confirm: `)
  if (answer === undefined)
    throw misuse('there is no terminal to confirm this, so nothing was done', 'Add --yes.')
  if (answer.trim() !== name) throw failure('not confirmed, so nothing was done')
}

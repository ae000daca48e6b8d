// One run of a command: its terminal, the common options, the account, and how results are shown (the unchanged
// response with `-o json`, otherwise tables). Commands are functions of a session.
import type { Command } from 'commander'
import { requireApiKey, resolveAccount } from './accounts/account.ts'
import type { CliAccount } from './accounts/account.ts'
import { call, urlOf } from './api/request.ts'
import type { Advice } from './api/request.ts'
import { failure } from './errors.ts'
import { textsAt } from './json.ts'
import { renderDetails, renderTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Every command has tables and JSON; some have the other formats. */
export const outputFormats = ['table', 'json', 'csv', 'jsonl', 'parquet'] as const
export type OutputFormat = (typeof outputFormats)[number]

export type GlobalOptions = {
  /** A format; for a command that writes a file, the file's name. */
  readonly output: string
  readonly demo?: boolean
}

/** For calls of the services. */
export type SessionCalls = {
  /** The account of this run, read at the first call. `bringsKey`: see account.ts. */
  account(bringsKey?: boolean): CliAccount
  /** A management call to /<version>/<segments> of auth or output, with the account's API key. */
  manage(call: ManagementCall): Promise<unknown>
}

/** For messages to the user. */
export type Telling = {
  /** `renderText` replaces the default of one member per line. */
  showRecord(record: unknown, renderText?: (record: unknown) => string): void
  showList<Item>(list: List<Item>): void
  /** Only for people. With `-o json` it prints nothing. */
  tell(text: string): void
  /** Asks on a terminal, unless `yes`. Without a terminal the command continues. */
  confirm(question: string, yes: boolean | undefined): Promise<void>
}

export type Session = SessionCalls &
  Telling & {
    readonly terminal: Terminal
    /** The format of `-o`, as in `GlobalOptions`. */
    readonly format: string
    readonly isJson: boolean
  }

export type ManagementCall = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: readonly string[]
  /** The shape of streams in the response; default: v2. */
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

/** `more`: formats of the command besides tables and JSON; `file`: in this command, `-o` names a file. */
export type OpenSession = (command: Command, more?: readonly OutputFormat[] | 'file') => Session

export function createSession(terminal: Terminal, options: GlobalOptions): Session {
  const format = options.output
  const isJson = format === 'json'
  let resolved: CliAccount | undefined
  const account = (bringsKey = false): CliAccount => {
    if (resolved) return resolved
    const { env, cwd } = terminal
    resolved = resolveAccount({ env, cwd, wantsDemo: options.demo === true, bringsKey })
    if (resolved.demo) tell(`(using the demo account of ${resolved.demo.path})`)
    return resolved
  }
  const tell = (text: string): void => {
    if (!isJson && format !== 'csv') terminal.note(text)
  }
  const show = (answer: unknown, table: () => string): void => {
    terminal.print(isJson ? JSON.stringify(answer, null, 2) : table())
  }
  return {
    terminal,
    format,
    isJson,
    account,
    manage: (what) => manage(account(), what),
    showRecord: (record, renderText = renderDetails) => {
      show(record, () => renderText(record))
      for (const warning of textsAt(record, 'warnings')) terminal.note(`warning: ${warning}`)
    },
    showList: ({ answer, items, columns, whenEmpty }) => {
      if (items.length === 0 && !isJson) return tell(whenEmpty)
      const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
      show(answer, () => renderTable(Object.keys(columns), rows))
    },
    tell,
    confirm: (question, yes) => confirm(terminal, question, yes),
  }
}

function manage(account: CliAccount, what: ManagementCall): Promise<unknown> {
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
    advice,
  )
}

async function confirm(
  terminal: Terminal,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes || !terminal.isInteractive) return
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw failure('nothing was done')
}

// `weir audit` shows who did what, when, and with which result. `weir audit verify` checks that the log is complete.
// This command verifies the stored records itself, so that nobody has to trust the service.
import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { call, urlOf } from '../api/request.ts'
import { walkChain } from '../verify/audit-chain.ts'
import type { ChainRecord, Link, ChainWalk } from '../verify/audit-chain.ts'
import { failure } from '../errors.ts'
import { isObject, listAt, textAt, valueAt } from '../json.ts'
import { tableOrJson, timeText, withExamples, withFormats } from '../input/options.ts'
import type { OpenSession, Session } from '../session.ts'
import { visible } from '../terminal/table.ts'
import { readSecret } from '../terminal/terminal.ts'

type AuditOptions = { readonly from?: string; readonly until?: string; readonly all?: boolean }
type VerifyOptions = { readonly head?: Link }
type Ask = (query: Readonly<Record<string, string>>) => Promise<unknown>

export function addAuditCommands(program: Command, open: OpenSession): void {
  const noun = withFormats(program.command('audit'), tableOrJson).description(
    'who did which management or key action, when, and with which result',
  )
  withExamples(
    noun
      .option(
        '--from <time>',
        'a date, an RFC 3339 time, or -1h for an hour ago (default: one day before --until)',
        timeText,
      )
      .option('--until <time>', 'a date, an RFC 3339 time, or -1h (default: now)', timeText)
      .option(
        '--all',
        'the entries of all accounts and of Weir itself; needs the platform key (WEIR_PLATFORM_KEY)',
      )
      .action((options: AuditOptions, command: Command) => show(open(command), options)),
    ['weir audit', 'the last day'],
    ['weir audit --from 2026-11-01 -o json > november.json', 'for an auditor'],
  )
  withExamples(
    noun
      .command('verify')
      .summary('check that no entry is missing, changed or moved')
      .description(
        'check that no entry is missing, changed or moved. Needs the platform key: weir asks for it without ' +
          'showing it, or takes it from the first line of standard input, or from WEIR_PLATFORM_KEY.',
      )
      .option(
        '--head <number:hash>',
        'the value that an earlier check printed: the log must still contain this entry',
        head,
      )
      .action((options: VerifyOptions, command: Command) => verify(open(command), options)),
    ['weir audit verify', 'asks for the platform key'],
    ['weir audit verify --head 1742:5f0c…', 'also checks that entry 1742 has not changed'],
  )
}

function head(text: string): Link {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('It must be a number, a colon and 64 hex digits.')
  return { seq: Number(seq), hash }
}

// --- show ---

async function show(session: Session, { from, until, all }: AuditOptions): Promise<void> {
  const ask = all === true ? await asPlatform(session, ['audit']) : asAccount(session)
  const times = {
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  }
  const entries: unknown[] = []
  for (let query: Record<string, string> = { ...times, limit: '1000' }; ;) {
    const page = await ask(query)
    entries.push(...listAt(page, 'entries'))
    const next = textAt(page, 'next')
    if (next === undefined) break
    query = { ...query, after: next }
  }
  session.showList({
    answer: entries,
    items: entries,
    columns: {
      // Only the list of all accounts shows numbers, because they count the entries of all accounts.
      ...(all === true ? { NO: (entry: unknown) => valueAt(entry, 'seq') } : {}),
      TIME: (entry) => valueAt(entry, 'time'),
      WHO: whoOf(all),
      ACTION: (entry) => valueAt(entry, 'action'),
      OUTCOME: (entry) => textAt(entry, 'code') ?? valueAt(entry, 'outcome'),
      // The last column, because it may be long.
      TO: targetOf(all),
    },
    whenEmpty: 'No entries.',
  })
}

/** Only the list of all accounts names the account in each line. */
const whoOf =
  (isOfAll = false) =>
  (entry: unknown): string => {
    const by = (member: string): string => `${textAt(entry, 'by', member)}`
    const kind = textAt(entry, 'by', 'kind')
    const account = isOfAll ? `${by('billingId')} ` : ''
    if (kind === 'credentials') return `${account}credentials ${by('clientId')}`
    if (kind !== 'account') return kind === 'auth' ? 'Weir itself' : `the ${String(kind)}`
    return `${account}key ${by('keyId')} ${by('name')}`
  }

const targetOf =
  (isOfAll = false) =>
  (entry: unknown): string => {
    const target = valueAt(entry, 'target')
    const { account, ...rest } = isObject(target) ? target : {}
    const named = isOfAll || Object.keys(rest).length === 0 ? { account, ...rest } : rest
    const parts = Object.entries(named).filter(([, value]) => value !== undefined)
    return parts.map(([name, value]) => `${name} ${shownValue(value)}`).join(', ')
  }

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return isObject(value) ? JSON.stringify(value) : String(value)
}

const asAccount =
  (session: Session): Ask =>
  (query) =>
    session.manage({ method: 'GET', path: ['audit'], query })

async function asPlatform(session: Session, path: readonly string[]): Promise<Ask> {
  const { authUrl } = session.account(true)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  const advice = {
    401: 'This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.',
  }
  return (query) =>
    call({ method: 'GET', url: urlOf(authUrl, ['v2', ...path], query), bearer }, advice)
}

// --- verify ---

async function verify(session: Session, options: VerifyOptions): Promise<void> {
  const walk = walkChain(options.head)
  await walkAll(walk, await asPlatform(session, ['audit', 'chain']))
  const { faults, end, firstTime, lastTime } = walk
  const answer = { whole: faults.length === 0, head: end, firstTime, lastTime, faults }
  if (session.isJson) session.showRecord(answer)
  if (faults.length > 0)
    throw failure(
      'the audit log was changed',
      ...faults.map(({ sentence }) => `- ${visible(sentence)}.`),
    )
  if (session.isJson) return
  session.terminal.print(`${end.seq}:${end.hash}`)
  const times = end.seq === 0 ? '' : `, from ${firstTime} to ${lastTime}`
  session.tell(
    `The audit log is intact: ${end.seq} entries${visible(times)}. Store the line above in another place, and give it to --head at the next check.`,
  )
}

/**
 * Verifies the whole log so far. The service reads the log's head after the records, so a response may lack the last
 * entries. If the next response lacks them, too, the log is cut off.
 */
async function walkAll(walk: ChainWalk, ask: Ask): Promise<void> {
  let expected: Link | undefined
  for (let after = '0'; ;) {
    const page = await ask({ after })
    const records = listAt(page, 'records').map(recordOf)
    walk.take(records)
    const next = textAt(page, 'next')
    const last = records.at(-1)
    after = next ?? (last === undefined ? after : String(BigInt(last.offset) + 1n))
    if (next !== undefined) continue
    const told = linkOf(valueAt(page, 'head'))
    if (expected !== undefined && walk.end.seq < expected.seq) return walk.cutOff(expected)
    if (walk.meets(told) !== 'behind') return
    expected = told
  }
}

function recordOf(record: unknown): ChainRecord {
  const [offset, value] = [textAt(record, 'offset'), textAt(record, 'value')]
  if (offset === undefined || !/^\d+$/.test(offset) || value === undefined)
    throw failure(
      'the response contains something that is not a record of the audit log',
      'Is it Weir?',
    )
  return { offset, value: Buffer.from(value, 'base64') }
}

function linkOf(value: unknown): Link | undefined {
  const [seq, hash] = [valueAt(value, 'seq'), textAt(value, 'hash')]
  return typeof seq === 'number' && hash !== undefined ? { seq, hash } : undefined
}

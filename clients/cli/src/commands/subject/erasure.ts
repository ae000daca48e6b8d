// `weir erasure …`: the states of erasures, and receipts of complete erasures. A receipt is verified locally, with the
// published keys.
import type { Command } from 'commander'
import { call, urlOf } from '../../api/request.ts'
import type { Advice } from '../../api/request.ts'
import { failure, misuse } from '../../errors.ts'
import { openInput } from '../../input/file.ts'
import { listAt, parseJson, textAt, valueAt } from '../../json.ts'
import type { JsonObject } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import type { InWords, ReceiptClaims } from '@weir/tokens'
import { addErasureUpdate } from './erasure-update.ts'
import { renderErasure } from './erasure-view.ts'
import { addReceiptsCommand } from './receipts.ts'
import { findErasure, idOrReference } from './find-erasure.ts'
import type { OpenSession, Session } from '../../session.ts'
import { inputAdvice, listInputNames } from '../../api/streams.ts'
import { streamRecordsOf } from '../../api/stream-records.ts'
import { readAll } from '../../terminal/terminal.ts'

export function addErasureCommands(program: Command, open: OpenSession): void {
  const noun = program.command('erasure').description('erasures and their states')
  withExamples(
    noun
      .command('list')
      .description(
        'erasures and withdrawals, the newest of each input stream first, with their states',
      )
      .argument('[name]', 'an input stream (default: all of them)')
      .action((name: string | undefined, _options: unknown, command: Command) =>
        list(open(command), name),
      ),
    ['weir erasure list', 'accepted, applied, complete, destroyed: docs/forgetting.md'],
  )
  withExamples(
    noun
      .command('show')
      .description(
        'one erasure: the time at which each state was reached or is expected, and the outputs with decrypted values',
      )
      .argument('<id>', idOrReference)
      .action(async (id: string, _options: unknown, command: Command) => {
        const session = open(command)
        session.showRecord((await findErasure(session, id)).record, renderErasure)
      }),
    ['weir erasure show 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', 'shows whether it is complete'],
  )
  addErasureUpdate(noun, open)
  addReceiptCommands(noun, open)
  addReceiptsCommand(noun, open)
}

type VerifyOptions = { readonly jwks?: string; readonly value?: string; readonly salt?: string }

function addReceiptCommands(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('receipt')
      .description('a signed receipt of an erasure that is complete')
      .argument('<id>', idOrReference)
      .action((id: string, _options: unknown, command: Command) => showReceipt(open(command), id)),
    ['weir erasure receipt 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed > bob.jws', 'keep the file'],
  )
  withExamples(
    noun
      .command('verify')
      .description('check a receipt, and print what it says and does not say')
      .argument('<file>', 'a file with a receipt; - means standard input')
      .option('--jwks <file-or-url>', 'the published keys (default: from auth)')
      .option('--value <value>', 'check that the receipt is about this value; needs --salt')
      .option('--salt <salt>', 'the salt that `weir subject erase` printed')
      .action((file: string, options: VerifyOptions, command: Command) =>
        verify(open(command), file, options),
      ),
    ['weir erasure verify bob.jws --jwks keys.json', 'works without any service'],
    [
      'curl -s https://auth.example.org/.well-known/jwks.json > keys.json',
      'a file for --jwks; receipt keys stay published for ever',
    ],
  )
}

async function showReceipt(session: Session, id: string): Promise<void> {
  const { path } = await findErasure(session, id)
  const answer = await session.manage({ method: 'GET', path: [...path, 'receipt'], advice })
  session.showRecord(answer, (record) => textAt(record, 'receipt') ?? '')
}

const advice = {
  409: '`weir erasure show` shows its state: usually complete after 11 to 15 minutes, at the latest after 80.',
} satisfies Advice

async function verify(session: Session, file: string, options: VerifyOptions): Promise<void> {
  const { jwks, value, salt } = options
  if ((value === undefined) !== (salt === undefined))
    throw misuse(
      'a value can be checked only together with its salt',
      'Give both --value and --salt, or neither.',
    )
  const receipt = (await readAll(openInput(session, file))).trim()
  if (receipt === '')
    throw failure(
      file === '-' ? 'standard input is empty' : `${file} is empty`,
      '`weir erasure receipt ID > FILE` saves a receipt. It prints none before the erasure is complete.',
    )
  // Loaded only here, because no other command needs it.
  const { inWords, isAbout, verifyReceipt } = await import('@weir/tokens')
  const keys = listAt(await readJwks(session, jwks), 'keys')
  const claims = held(() => verifyReceipt(receipt, keys))
  if (value !== undefined && salt !== undefined && !isAbout(claims, salt, value))
    throw failure('the receipt is valid, but it is not about this value, or the salt is wrong')
  session.showRecord(claims, () => renderWords(inWords(claims)))
  session.tell(
    value === undefined ? 'The receipt is valid.' : 'The receipt is valid for this value.',
  )
}

function held(verify: () => ReceiptClaims): ReceiptClaims {
  try {
    return verify()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw failure(
      `the receipt is not valid: ${error.message}`,
      '`weir erasure receipt ID` prints the receipt of an erasure.',
    )
  }
}

const renderWords = ({ title, says, doesNotSay }: InWords): string =>
  [
    title,
    ['What it says:', ...says.map((sentence) => `- ${sentence}`)].join('\n'),
    ['What it does not say:', ...doesNotSay.map((sentence) => `- ${sentence}`)].join('\n'),
  ].join('\n\n')

async function readJwks(session: Session, from: string | undefined): Promise<unknown> {
  const isUrl = from === undefined || /^https?:\/\//.test(from)
  if (!isUrl) return parseJson(await readAll(openInput(session, from)), from)
  const url = urlOf(from ?? session.account().authUrl, from ? [] : ['.well-known', 'jwks.json'])
  return call({ method: 'GET', url })
}

async function list(session: Session, name: string | undefined): Promise<void> {
  const streams = name === undefined ? await listInputNames(session) : [name]
  const items: JsonObject[] = []
  for (const stream of streams) {
    const path = ['streams', stream, 'erasures']
    const answer = await session.manage({ method: 'GET', path, advice: inputAdvice })
    items.push(...streamRecordsOf(answer).map((record) => ({ stream, ...record })))
  }
  session.showList({
    answer: items,
    items,
    columns: {
      ERASURE: (record) => textAt(record, 'id'),
      STREAM: (record) => textAt(record, 'stream'),
      STATE: (record) => textAt(record, 'state'),
      VALUES: (record) => valueAt(record, 'values'),
      LEVELS: (record) => valueAt(record, 'levels') ?? 'all',
      ACCEPTED: (record) => textAt(record, 'states', 'accepted', 'at'),
      REFERENCE: (record) => textAt(record, 'reference'),
      DUE: (record) => textAt(record, 'dueOn'),
    },
    whenEmpty: name === undefined ? 'No stream has erasures.' : `Nobody was erased from ${name}.`,
  })
  for (const stream of streams) await warnOfLost(session, stream)
}

async function warnOfLost(session: Session, stream: string): Promise<void> {
  const path = ['streams', stream]
  const record = await session.manage({ method: 'GET', path, advice: inputAdvice })
  for (const lost of listAt(record, 'erasuresLost'))
    session.terminal.note(
      `warning: Weir was restored from a backup. Erasures of ${stream} that were accepted between ${textAt(lost, 'since')} and ${textAt(lost, 'until')} may be undone, and are not in this list: make them again.`,
    )
}

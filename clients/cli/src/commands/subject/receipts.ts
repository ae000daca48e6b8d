// `weir erasure receipts`: saves each complete erasure's receipt in its own file, because receipts are not available
// after the stream is deleted. It never replaces a file, so a failed run can be repeated.
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { streamRecordsOf } from '../../api/stream-records.ts'
import { inputAdvice, listInputNames } from '../../api/streams.ts'
import { CliError, failure } from '../../errors.ts'
import { fileFault } from '../../file-fault.ts'
import { withExamples } from '../../input/options.ts'
import { textAt } from '../../json.ts'
import type { OpenSession, Session } from '../../session.ts'
import { createProgressLine } from '../../terminal/progress.ts'

export function addReceiptsCommand(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('receipts')
      .description(
        'save the receipts of all erasures that are complete, each in a file; files that exist already stay as they are',
      )
      .argument('<folder>', 'the folder of the files; it is created if it does not exist')
      .argument('[name]', 'an input stream (default: all of them)')
      .action((folder: string, name: string | undefined, _options: unknown, command: Command) =>
        saveReceipts(open(command), folder, name),
      ),
    ['weir erasure receipts receipts clicks', 'before the stream clicks is deleted'],
  )
}

type Row = {
  readonly erasure: string
  readonly stream: string
  readonly reference?: string | undefined
  readonly file?: string
  readonly result: 'saved' | 'exists already' | 'not complete'
}

async function saveReceipts(session: Session, to: string, name: string | undefined) {
  const folder = resolve(session.terminal.cwd, to)
  const streams = name === undefined ? await listInputNames(session) : [name]
  const rows: Row[] = []
  const progress = createProgressLine(session.terminal, 'saving receipts')
  try {
    await mkdir(folder, { recursive: true }).catch(rethrow(to))
    for (const stream of streams) {
      const path = ['streams', stream, 'erasures']
      const answer = await session.manage({ method: 'GET', path, advice: inputAdvice })
      for (const erasure of streamRecordsOf(answer)) {
        progress.show(rows.length, undefined)
        rows.push(await saveReceipt(session, { folder, stream, erasure }))
      }
    }
  } catch (error) {
    if (rows.length === 0 || !(error instanceof CliError)) throw error
    throw error.withAdvice(`${savedOf(rows)} Run the command again for the others.`)
  } finally {
    progress.end()
  }
  show(session, rows)
}

type Wanted = { readonly folder: string; readonly stream: string; readonly erasure: unknown }

async function saveReceipt(session: Session, { folder, stream, erasure }: Wanted): Promise<Row> {
  const id = textAt(erasure, 'id') ?? ''
  const reference = textAt(erasure, 'reference')
  const row = { erasure: id, stream, ...(reference === undefined ? {} : { reference }) }
  if (textAt(erasure, 'states', 'complete', 'at') === undefined)
    return { ...row, result: 'not complete' }
  const file = fileNameOf(id, reference)
  const target = join(folder, file)
  if ((await stat(target).catch(() => undefined)) !== undefined)
    return { ...row, file, result: 'exists already' }
  const path = ['streams', stream, 'erasures', id, 'receipt']
  const receipt = textAt(await session.manage({ method: 'GET', path }), 'receipt')
  if (receipt === undefined) throw failure(`the response for ${id} contains no receipt`)
  await writeWhole(target, `${receipt}\n`).catch(rethrow(target))
  return { ...row, file, result: 'saved' }
}

/** Writes a draft first, because an incomplete file after a crash must not count as saved. */
async function writeWhole(target: string, text: string): Promise<void> {
  const draft = `${target}.tmp`
  await writeFile(draft, text, { flush: true })
  await rename(draft, target)
}

/**
 * Returns the same name as the console. Only the id makes the name unique, because requests may have the same
 * reference.
 */
const fileNameOf = (id: string, reference = ''): string =>
  [plain(reference).slice(0, 60), 'receipt', plain(id)].filter((part) => part !== '').join('-') +
  '.jws'

const plain = (text: string): string =>
  text.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '')

const rethrow =
  (file: string) =>
  (error: unknown): never => {
    throw failure(fileFault(file, error, 'written'))
  }

const countOf = (rows: readonly Row[], wanted: Row['result']): number =>
  rows.filter(({ result }) => result === wanted).length

const savedOf = (rows: readonly Row[]): string =>
  `Receipts: ${countOf(rows, 'saved')} saved, ${countOf(rows, 'exists already')} saved before.`

function show(session: Session, rows: readonly Row[]): void {
  session.showList({
    answer: rows,
    items: rows,
    columns: {
      ERASURE: ({ erasure }) => erasure,
      STREAM: ({ stream }) => stream,
      RESULT: ({ result }) => result,
      FILE: ({ file }) => file,
    },
    whenEmpty: 'There are no erasures.',
  })
  if (rows.length === 0) return
  session.tell(`${savedOf(rows)} Not complete: ${countOf(rows, 'not complete')} of ${rows.length}.`)
}

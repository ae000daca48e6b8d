// `weir contract …`: event contracts, as JSON files in the form of the management API.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { typesOf } from '../contract-types/typescript.ts'
import { accountInWords } from '../accounts/account.ts'
import { CliError, failure, misuse } from '../errors.ts'
import { fileFault } from '../file-fault.ts'
import { openInput } from '../input/file.ts'
import { jsonFault } from '../input/json-fault.ts'
import { isObject, textAt, tryParseJson, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'
import { withExamples } from '../input/options.ts'
import { didYouMean } from '../input/nearest.ts'
import type { OpenSession, Session } from '../session.ts'
import { streamRecordsOf } from '../api/stream-records.ts'
import { renderDetails, visible } from '../terminal/table.ts'
import { readAll } from '../terminal/terminal.ts'

export function addContractCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('contract')
    .description('event contracts: schema, validations, key field, PII levels')
  addCreate(noun, open)
  withExamples(
    noun
      .command('list')
      .description('the contracts of the account')
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir contract list', 'a table'],
  )
  withExamples(
    noun
      .command('show')
      .description('the details of a contract')
      .argument('<id>', 'the schema id')
      .action((id: string, _options: unknown, command: Command) => show(open(command), id)),
    ['weir contract show clickstream -o json', 'as the service stores it'],
  )
  addTypes(noun, open)
  withExamples(
    noun
      .command('archive')
      .description(
        'archive a contract for good: ingest then refuses its events with 400; asks first on a terminal',
      )
      .argument('<id>', 'the schema id')
      .option('-y, --yes', "don't ask")
      .action((id: string, options: { yes?: boolean }, command: Command) =>
        archive(open(command), id, options.yes),
      ),
    ['weir contract archive shop/click/1.0.0', 'when no producer sends such events any more'],
  )
}

function addCreate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('create')
      .description(
        'publish a contract; a published contract never changes, so a new version needs a new id',
      )
      .option(
        '-f, --file <file>',
        'the file with the contract as JSON (default: -, which means standard input)',
      )
      .action((options: { file?: string }, command: Command) =>
        create(open(command), options.file),
      ),
    [
      'weir contract create -f clickstream.json',
      '{id, schema, validations, key_field, pii_fields}',
    ],
    ['jq \'.id = "shop/click/1.1.0"\' old.json | weir contract create', 'publishes a new version'],
  )
}

function addTypes(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('types')
      .summary('a contract as TypeScript, for @weir/client')
      .description(
        'a contract as TypeScript: the types of its events, and the contract as createProducer of @weir/client takes it. ' +
          'Prints it, unless a file is given.',
      )
      .argument('<id>', 'the schema id')
      .option('-f, --file <file>', 'the file to write')
      .action((id: string, options: { file?: string }, command: Command) =>
        types(open(command), id, options.file),
      ),
    ['weir contract types clickstream > clickstream.ts', 'the compiler then checks your events'],
  )
}

async function create(session: Session, file: string | undefined): Promise<void> {
  const what = file === undefined || file === '-' ? 'the input' : file
  const text = await readAll(openInput(session, file))
  const fault = jsonFault(text)
  if (fault !== undefined) throw misuse(`${what} isn't JSON: ${fault}`)
  const json = tryParseJson(text)
  if (!isObject(json)) throw misuse(`${what} isn't a JSON object`, 'A contract is one JSON object.')
  refuseParts(what, json)
  const path = ['contracts']
  const answer = await session.manage({ method: 'POST', path, json }).catch((error: unknown) => {
    throw withSubjectAdvice(session, what, error)
  })
  session.showRecord(answer, renderSummary)
}

/** Refuses an Avro schema or an event, which users may confuse with a contract. */
function refuseParts(what: string, json: JsonObject): void {
  if ('schema' in json || !('svcMeta' in json || 'fields' in json)) return
  throw misuse(
    `${what} is ${'fields' in json ? 'an Avro schema' : 'an event'}, not a contract`,
    'A contract has id, schema, validations, key_field and pii_fields: `weir contract show ID -o json` shows one.',
  )
}

const subjectTaken = /^schema\.schema_registry_ref: the subject .* is taken/

/**
 * Adds the account to the error, because it may be another account than the user thinks. The subject's owner is not
 * shown.
 */
function withSubjectAdvice(session: Session, what: string, error: unknown): unknown {
  if (!(error instanceof CliError) || !subjectTaken.test(error.message)) return error
  return error.withAdvice(
    `Change schema_registry_ref in ${what}, and publish the contract again.`,
    `This is about ${accountInWords(session.account())}.`,
  )
}

const contractAdvice = { 404: '`weir contract list` shows the contracts.' }

export const fetchContracts = async (session: Session): Promise<readonly JsonObject[]> =>
  streamRecordsOf(await session.manage({ method: 'GET', path: ['contracts'] }))

async function list(session: Session): Promise<void> {
  const items = await fetchContracts(session)
  session.showList({
    answer: items,
    items,
    columns: {
      ID: (contract) => contract.id,
      STATUS: (contract) => contract.status,
      SCHEMA: (contract) => textAt(contract, 'schema', 'schema_registry_ref'),
      KEY: (contract) => contract.key_field,
      PII: (contract) => levelsOf(contract),
    },
    whenEmpty: 'No contracts yet: `weir contract create -f FILE` publishes one.',
  })
}

const levelsOf = ({ pii_fields: fields }: JsonObject): readonly string[] =>
  isObject(fields) ? Object.entries(fields).map(([path, level]) => `${path}: ${String(level)}`) : []

export async function requireContract(session: Session, id: string): Promise<JsonObject> {
  const contracts = await fetchContracts(session)
  const contract = contracts.find((one) => one.id === id)
  if (contract !== undefined) return contract
  const ids = contracts.map((one) => String(one.id))
  const meant = didYouMean(id, ids)
  throw failure(
    `no contract has the id ${id}${meant}`,
    `This is about ${accountInWords(session.account())}.`,
    '`weir contract list` shows the contracts.',
  )
}

async function show(session: Session, id: string): Promise<void> {
  session.showRecord(await requireContract(session, id), renderContract)
}

async function types(session: Session, id: string, file: string | undefined): Promise<void> {
  const typescript = typesOf(await requireContract(session, id))
  if (file === undefined) return session.showRecord({ id, typescript }, () => typescript.trimEnd())
  await writeFile(resolve(session.terminal.cwd, file), typescript).catch((error: unknown) => {
    throw failure(fileFault(file, error, 'written'))
  })
  session.tell(`Written to ${file}.`)
}

function renderContract(contract: unknown): string {
  const definition = JSON.stringify(valueAt(contract, 'schema', 'definition') ?? null, null, 2)
  const lines = definition.split('\n').map((line) => `  ${visible(line)}`)
  return [renderSummary(contract), 'schema.definition', ...lines].join('\n')
}

function renderSummary(contract: unknown): string {
  if (!isObject(contract) || !isObject(contract.schema)) return renderDetails(contract)
  const { definition: _shownApart, ...schema } = contract.schema
  const { warnings: _toldApart, ...members } = contract
  return renderDetails({ ...members, schema })
}

async function archive(session: Session, id: string, yes: boolean | undefined): Promise<void> {
  const question = `This archives ${id} for good. Producers that still send its events get 400, and need a contract with another id.`
  await session.confirm({ question, name: id }, yes)
  const path = ['contracts', id, 'archive']
  const answer = await session.manage({ method: 'POST', path, advice: contractAdvice })
  if (session.isJson) session.showRecord(answer ?? { archived: id })
  else session.terminal.print(`Archived ${id}.`)
}

// `weir api-key …`: the account's API keys. A new key is shown once and not saved, because it is for somebody else.
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { textAt, valueAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'

type CreateOptions = { readonly role?: string; readonly expiresInDays?: number }
type DeleteOptions = { readonly yes?: boolean }

const roles = ['owner', 'developer', 'officer', 'viewer']

export function addApiKeyCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('api-key')
    .description("the account's API keys, with roles and expiry")
  withExamples(
    noun
      .command('list')
      .summary('keys with their roles, expiry and the hour of their last use')
      .description(
        'keys with their roles, expiry and the hour of their last use, without the keys themselves',
      )
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir api-key list', 'the audit log contains these IDs'],
  )
  addCreate(noun, open)
  withExamples(
    noun
      .command('delete')
      .argument('<id>', 'the ID that `weir api-key list` shows')
      .option('-y, --yes', "don't ask")
      .summary('delete a key: it stops working within a second')
      .description(
        'delete a key. It stops working within a second, and the WebSockets that it opened are closed. Needs the role owner.',
      )
      .action((id: string, options: DeleteOptions, command: Command) =>
        remove(open(command), id, options),
      ),
    ['weir api-key delete 0c1f5f6e9a1b', 'asks first'],
  )
}

function addCreate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('create')
      .argument('<name>', 'what the key is used for')
      .summary('create a key; it is shown once')
      .description('create a key; it is shown once. Needs a key with the role owner.')
      .addOption(
        new Option('--role <role>', 'what the key may do (default: viewer)').choices(roles),
      )
      .option('--expires-in-days <days>', 'when it expires (default: never)', days)
      .action((name: string, options: CreateOptions, command: Command) =>
        create(open(command), name, options),
      ),
    ['weir api-key create dashboard', 'may read settings and usage'],
    ['weir api-key create ci --role developer --expires-in-days 90', 'for a pipeline'],
  )
}

function days(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of days, at least 1.')
}

async function list(session: Session): Promise<void> {
  const answer = await session.manage({ method: 'GET', path: ['api-keys'] })
  session.showList({
    answer,
    items: Array.isArray(answer) ? answer : [],
    columns: {
      ID: (key) => valueAt(key, 'keyId'),
      NAME: (key) => valueAt(key, 'name'),
      ROLE: (key) => valueAt(key, 'role'),
      CREATED: (key) => valueAt(key, 'createdAt'),
      EXPIRES: (key) => valueAt(key, 'expiresAt') ?? 'never',
      'LAST USED': (key) => valueAt(key, 'lastUsedAt') ?? 'never',
    },
    whenEmpty: 'No API keys.',
  })
}

async function create(session: Session, name: string, options: CreateOptions): Promise<void> {
  const answer = await session.manage({
    method: 'POST',
    path: ['api-keys'],
    json: { name, ...options },
  })
  session.showRecord(answer)
  session.tell('The apiKey is shown only once.')
}

async function remove(session: Session, id: string, { yes }: DeleteOptions): Promise<void> {
  const shown = await session.manage({ method: 'GET', path: ['account'] })
  const isOwn = textAt(shown, 'key', 'keyId') === id
  const own = isOwn
    ? ' This command uses this key itself: afterwards you need another key, or the platform key (weir account key).'
    : ''
  const question = `This deletes the API key ${id}. Programs that use it lose access immediately.${own}`
  await session.confirm({ question, name: id }, yes)
  const advice = { 404: '`weir api-key list` shows the ids.' }
  const answer = await session.manage({ method: 'DELETE', path: ['api-keys', id], advice })
  if (session.isJson) session.showRecord(answer)
  else session.terminal.print(`Deleted ${id}.`)
  if (isOwn) session.tell('It was your own key: log in with another one (weir account login).')
}

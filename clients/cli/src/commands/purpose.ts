// `weir purpose …`: names of consent levels, for people. A change replaces the whole list of the account.
import type { Command } from 'commander'
import { failure } from '../errors.ts'
import { levelArgument, withExamples } from '../input/options.ts'
import { isObject, textAt, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'
import type { OpenSession, Session } from '../session.ts'

type SetOptions = { readonly name?: string }

export function addPurposeCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('purpose')
    .description('names of consent levels, which the console shows')
  withExamples(
    noun
      .command('list')
      .description('the levels that have a name')
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir purpose list', 'a table'],
  )
  withExamples(
    noun
      .command('set')
      .description('give a level a name, or another one; needs the role developer')
      .argument('<level>', 'a consent level, 0 to 255', levelArgument)
      .argument('<title>', 'what people read: 1 to 80 characters')
      .option('--name <name>', 'what programs read (default: as before, or level-LEVEL)')
      .action((level: number, title: string, { name }: SetOptions, command: Command) =>
        set(open(command), { level, title, name }),
      ),
    ['weir purpose set 2 "marketing e-mails" --name marketing', 'level 2 is then shown with it'],
  )
  withExamples(
    noun
      .command('remove')
      .description('remove the name of a level; needs the role developer')
      .argument('<level>', 'a consent level, 0 to 255', levelArgument)
      .action((level: number, _options: unknown, command: Command) => remove(open(command), level)),
    ['weir purpose remove 2', 'level 2 is then shown as a number'],
  )
}

const path = ['account', 'purposes']

async function listPurposes(session: Session): Promise<readonly JsonObject[]> {
  const answer = await session.manage({ method: 'GET', path })
  return Array.isArray(answer) ? answer.filter(isObject) : []
}

async function list(session: Session): Promise<void> {
  const items = await listPurposes(session)
  session.showList({
    answer: items,
    items,
    columns: {
      LEVEL: ({ level }) => level,
      TITLE: ({ title }) => title,
      NAME: ({ name }) => name,
    },
    whenEmpty: 'No level has a name: `weir purpose set LEVEL TITLE` gives it one.',
  })
}

type Wanted = { readonly level: number; readonly title: string; readonly name: string | undefined }

async function set(session: Session, { level, title, name }: Wanted): Promise<void> {
  const before = await listPurposes(session)
  const present = before.find((one) => valueAt(one, 'level') === level)
  const purpose = { name: name ?? textAt(present, 'name') ?? `level-${level}`, title, level }
  const others = before.filter((one) => one !== present)
  await session.manage({ method: 'PUT', path, json: [...others, purpose] })
  session.showRecord(purpose)
}

async function remove(session: Session, level: number): Promise<void> {
  const before = await listPurposes(session)
  const others = before.filter((one) => valueAt(one, 'level') !== level)
  if (others.length === before.length)
    throw failure(`level ${level} has no name`, '`weir purpose list` shows the levels with a name.')
  await session.manage({ method: 'PUT', path, json: others })
  if (session.isJson) session.showRecord({ removed: level })
  else session.terminal.print(`Removed the name of level ${level}.`)
}

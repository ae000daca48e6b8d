// Data subjects that are not the key field: `weir subject show NAME --subject VALUE`, and what `weir subject erase` does
// with `--subject`. A value goes to the service, in the body of a request, and no line that is printed holds it.
import type { Command } from 'commander'
import type { Advice } from '../api.ts'
import { misuse } from '../errors.ts'
import { listAt, valueAt } from '../json.ts'
import { withExamples } from '../options.ts'
import type { OpenSession, Session } from '../session.ts'

type ShowOptions = { readonly subject: string }

const advice = { 404: '`weir stream list` shows the input streams.' } satisfies Advice

export function addSubjectShow(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('show')
      .summary('how much is kept of a data subject')
      .description(
        'how much is kept of a data subject: under how many pseudonyms its events lie, era by era. Contracts say with\n' +
          'data_subject_field which field names it. Asking is told in the audit log.',
      )
      .argument('<name>', 'an input stream')
      .requiredOption('--subject <value>', 'the value of the data subject field')
      .action((name: string, options: ShowOptions, command: Command) =>
        show(open(command), name, options.subject),
      ),
    ['weir subject show clicks --subject customer-00042', 'before and after it is erased'],
  )
}

async function show(session: Session, name: string, subject: string): Promise<void> {
  if (subject === '') throw misuse('the value is empty')
  const path = ['streams', name, 'subjects', 'lookup']
  const answer = await session.manage({ method: 'POST', path, json: { subject }, advice })
  session.showList({
    answer,
    items: listAt(answer, 'eras'),
    columns: {
      ERA: (era) => valueAt(era, 'era'),
      FROM: (era) => valueAt(era, 'from'),
      UNTIL: (era) => valueAt(era, 'until'),
      PSEUDONYMS: (era) => valueAt(era, 'links'),
    },
    whenEmpty: `Nothing is kept of this data subject in ${name}.`,
  })
}

type ErasingSubject = {
  readonly name: string
  readonly subject: string
  readonly level: number | undefined
}

export async function eraseSubject(
  session: Session,
  { name, subject, level }: ErasingSubject,
): Promise<void> {
  if (subject === '') throw misuse('the value is empty')
  const json = { subject, ...(level === undefined ? {} : { fromLevel: level }) }
  const path = ['streams', name, 'erasures']
  const answer = await session.manage({
    method: 'POST',
    path,
    json,
    advice: { 404: '`weir subject show` tells what is kept of a data subject.' },
  })
  session.showRecord(answer)
  session.tell("The salt isn't shown again: with it, a receipt can be shown to be about a value.")
}

// `weir erasure update`: another due date for an erasure or a withdrawal, or none.
import type { Command } from 'commander'
import { dayOption, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { renderErasure } from './erasure-view.ts'
import { findErasure } from './find-erasure.ts'

type UpdateOptions = { readonly due: string }

export function addErasureUpdate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('update')
      .description('change or remove the due date of an erasure; the audit log has both dates')
      .argument('<id>', 'the id that `weir subject erase` and `weir erasure list` print')
      .requiredOption('--due <day>', 'when the person must have an answer, or none', dayOrNone)
      .action((id: string, { due }: UpdateOptions, command: Command) =>
        update(open(command), id, due),
      ),
    [
      'weir erasure update 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --due 2026-12-24',
      'the person gets an answer by this day',
    ],
    ['weir erasure update 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --due none', 'removes the due date'],
  )
}

const none = 'none'
const dayOrNone = (text: string): string => (text === none ? none : dayOption(text))

async function update(session: Session, id: string, due: string): Promise<void> {
  const { path } = await findErasure(session, id)
  const dueOn = due === none ? null : due
  const changed = await session.manage({ method: 'PATCH', path, json: { dueOn } })
  session.showRecord(changed, renderErasure)
  tellPast(session, dueOn ?? undefined)
}

/** A late request may be recorded, so a past day is no error. */
export function tellPast(session: Session, dueOn: string | undefined): void {
  if (dueOn === undefined || dueOn >= new Date().toISOString().slice(0, 10)) return
  session.terminal.note(
    `warning: the due date ${dueOn} is already past (in UTC). \`weir erasure update\` changes it.`,
  )
}

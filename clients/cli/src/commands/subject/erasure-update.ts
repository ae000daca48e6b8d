// `weir erasure update`: changes or removes the reference or the due date of an erasure or a withdrawal.
import type { Command } from 'commander'
import { misuse } from '../../errors.ts'
import { dayOption, withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { renderErasure } from './erasure-view.ts'
import { findErasure, idOrReference } from './find-erasure.ts'

type UpdateOptions = { readonly reference?: string; readonly due?: string }

export function addErasureUpdate(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('update')
      .description(
        'change or remove the reference or the due date of an erasure; the audit log has both dates, and no reference',
      )
      .argument('<id>', idOrReference)
      .option('--reference <text>', 'your reference, such as a ticket number, or none')
      .option('--due <day>', 'when the person must have an answer, or none', dayOrNone)
      .action((id: string, options: UpdateOptions, command: Command) =>
        update(open(command), id, options),
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

async function update(session: Session, id: string, options: UpdateOptions): Promise<void> {
  if (options.reference === undefined && options.due === undefined)
    throw misuse('nothing is changed', 'Add --reference, --due, or both.')
  const { path } = await findErasure(session, id)
  const [reference, dueOn] = [orNull(options.reference), orNull(options.due)]
  const changed = await session.manage({ method: 'PATCH', path, json: { reference, dueOn } })
  session.showRecord(changed, renderErasure)
  tellPast(session, dueOn ?? undefined)
}

const orNull = (text: string | undefined): string | null | undefined =>
  text === none ? null : text

/** Warns about a past due date. A request may be recorded late, so a past day is no error. */
export function tellPast(session: Session, dueOn: string | undefined): void {
  if (dueOn === undefined || dueOn >= new Date().toISOString().slice(0, 10)) return
  session.terminal.note(
    `warning: the due date ${dueOn} is already past (in UTC). \`weir erasure update\` changes it.`,
  )
}

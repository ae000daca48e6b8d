// One event side by side: as it was sent, as it is stored, and in each derived stream.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Contract, Output } from '../api/account.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { dayOf, timeOfDay } from '../ui/words.ts'
import { asCurl } from './as-curl.ts'
import { columnsOf, rowsOf } from './event-table.ts'
import type { Cell, Column, Row } from './event-table.ts'
import type { LiveEvent } from './live-store.ts'

type Props = {
  readonly event: LiveEvent
  readonly input: string
  readonly outputs: readonly Output[]
  readonly contract: Contract | undefined
  readonly ingestUrl: string
}

export function EventDetail({ event, input, outputs, contract, ingestUrl }: Props) {
  const words = useLevelWords()
  const columns = columnsOf(event, { input, outputs, words })
  const rows = rowsOf(event, columns, contract)
  const consent =
    event.consent.length === 0 ? 'no level' : `levels ${event.consent.map(words).join(', ')}`
  return (
    <section class="detail" aria-label="The event as sent, as stored, and in each output">
      <header>
        <div>
          <h2>{event.contractId}</h2>
          <p class="muted">
            {dayOf(new Date(event.atMs).toISOString())} {timeOfDay(event.atMs)} UTC · consent to{' '}
            {consent}
          </p>
        </div>
        <AsCurl command={asCurl(event, { input, ingestUrl })} />
      </header>
      <div class="scroller" tabIndex={0} role="region" aria-label="Fields of the event">
        <table class="sides">
          <thead>
            <tr>
              <th scope="col">field</th>
              {columns.map((column) => (
                <th key={column.title} scope="col">
                  {column.title} <span class="under">{column.under}</span>
                  {column.note === undefined ? null : <Note column={column} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <FieldRow key={row.path} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Note = ({ column: { note, isFiltered } }: { column: Column }) =>
  isFiltered ? (
    <span class="note filtered">
      <strong>filtered</strong> {note}
    </span>
  ) : (
    <span class="note">{note}</span>
  )

function FieldRow({ row }: { row: Row }) {
  const words = useLevelWords()
  const isEnvelope = row.path.startsWith('svcMeta/')
  return (
    <tr class={isEnvelope ? 'envelope' : undefined}>
      <th scope="row">
        <Path path={row.path} />{' '}
        {row.level === undefined ? null : <span class="level">level {words(row.level)}</span>}
      </th>
      {row.cells.map((cell, index) => (
        <td key={index} class={cell.mark}>
          <Value cell={cell} />
        </td>
      ))}
    </tr>
  )
}

/** Shows a path that can wrap after a slash. */
const Path = ({ path }: { path: string }) =>
  path.split('/').map((name, index) => (
    <Fragment key={name}>
      {index > 0 ? (
        <>
          /<wbr />
        </>
      ) : null}
      {name}
    </Fragment>
  ))

function Value({ cell: { text, mark } }: { cell: Cell }) {
  if (text === undefined) return <span class="nothing">–</span>
  if (mark === 'plain') return <code>{text}</code>
  return (
    <>
      <span class="mark">{mark}</span>{' '}
      <code title={mark === 'encrypted' ? text : undefined}>{text}</code>
    </>
  )
}

function AsCurl({ command }: { command: string }) {
  const [isShown, setIsShown] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsShown(true)}>
        Show as curl
      </button>
      {isShown ? (
        <Dialog title="The event as curl" onClose={() => setIsShown(false)}>
          <pre tabIndex={0}>{command}</pre>
          <CopyButton text={command} label="Copy" />
        </Dialog>
      ) : null}
    </>
  )
}

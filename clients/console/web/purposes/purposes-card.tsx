// The names of the account's levels. Developers and owners can change them.
import { useState } from 'preact/hooks'
import type { Session } from '../session.ts'
import type { Purpose } from '../api/account.ts'
import { listPurposes, savePurposes } from '../api/resources.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { usePurposes } from './use-purposes.ts'

export function PurposesCard({ session }: { session: Session }) {
  const { value, error } = usePurposes()
  const mayChange = session.may('developer')
  if (value?.length === 0 && !mayChange) return null
  return (
    <section class="card" aria-label="Names of levels">
      <h2>Names of levels</h2>
      <p class="muted small">
        Most pages show these names next to the levels. They do not change what a level does.
      </p>
      <Problems of={error} />
      {value === undefined ? null : mayChange ? (
        <Form {...{ session, purposes: value }} />
      ) : (
        <ul class="plain">
          {value.map(({ level, title }) => (
            <li key={level}>
              level {level}: {title}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type Line = { readonly name: string; readonly level: string; readonly title: string }

const emptyLine: Line = { name: '', level: '', title: '' }

const linesOf = (purposes: readonly Purpose[]): readonly Line[] => [
  ...purposes.map((purpose) => ({ ...purpose, level: String(purpose.level) })),
  emptyLine,
]

type FormProps = { readonly session: Session; readonly purposes: readonly Purpose[] }

/** Shows one line for each name, and an empty one. A line without a title removes the name. */
function Form({ session, purposes }: FormProps) {
  const { reload } = usePurposes()
  const [lines, setLines] = useState(() => linesOf(purposes))
  const [known, setKnown] = useState(purposes)
  const [isSaved, setSaved] = useState(false)
  const saving = useDoing(async () => {
    const named = lines.filter(({ title }) => title.trim() !== '')
    const wanted = named.map(asked)
    // The list is replaced as a whole, and the session may have loaded it hours ago.
    if (JSON.stringify(await listPurposes(session.calls)) !== JSON.stringify(known)) {
      reload()
      throw new Error(
        'Somebody else has changed these names. Open another page, then this one again.',
      )
    }
    const saved = await savePurposes(session.calls, wanted)
    setKnown(saved)
    setLines(linesOf(saved))
    setSaved(true)
    reload()
  })
  const change = (at: number, line: Line): void => {
    setSaved(false)
    const changed = lines.with(at, line)
    setLines(at === lines.length - 1 ? [...changed, emptyLine] : changed)
  }
  return (
    <form class="event-form" onSubmit={saving.onSubmit}>
      {lines.map((line, at) => (
        <LineFields key={at} line={line} onLine={(changed) => change(at, changed)} />
      ))}
      <Problems of={saving.error} />
      <footer>
        <p role="status">{isSaved ? 'Saved.' : ''}</p>
        <button type="submit" disabled={saving.isDoing}>
          Save names
        </button>
      </footer>
    </form>
  )
}

function asked({ name, level, title }: Line): Purpose {
  if (!/^\d{1,3}$/.test(level.trim()))
    throw new Error(`Enter the level of «${title.trim()}», a whole number from 0 to 255.`)
  const number = Number(level)
  return { name: name || `level-${number}`, title: title.trim(), level: number }
}

type LineProps = { readonly line: Line; readonly onLine: (line: Line) => void }

const LineFields = ({ line, onLine }: LineProps) => (
  <div class="purpose">
    <label>
      Level
      <input
        inputMode="numeric"
        value={line.level}
        onInput={(event) => onLine({ ...line, name: '', level: event.currentTarget.value })}
      />
    </label>
    <label>
      Name <span class="hint">such as marketing e-mails</span>
      <input
        maxLength={80}
        value={line.title}
        onInput={(event) => onLine({ ...line, title: event.currentTarget.value })}
      />
    </label>
  </div>
)

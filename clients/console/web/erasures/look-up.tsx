// Looking up a data subject: under how many pseudonyms it has events, and which contracts that is known by. Where none names a
// data subject auth says so, and it is shown as it is said.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input } from '../api/account.ts'
import { lookUp } from '../api/erasures.ts'
import type { Found } from '../api/erasures.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { dateAndTime, many } from '../ui/words.ts'

type Props = { readonly calls: Calls; readonly input: Input; readonly onClose: () => void }

export function LookUp({ calls, input, onClose }: Props) {
  const [subject, setSubject] = useState('')
  const [found, setFound] = useState<Found>()
  const looking = useDoing(async () => {
    setFound(undefined)
    setFound(await lookUp(calls, input.name, subject))
  })
  return (
    <Dialog title={`Look up a data subject in ${input.name}`} onClose={onClose}>
      <form onSubmit={looking.onSubmit}>
        <label>
          Data subject{' '}
          <span class="hint">as producers send it; the audit log records this search</span>
          <input
            required
            autocomplete="off"
            value={subject}
            onInput={(event) => setSubject(event.currentTarget.value)}
          />
        </label>
        <Problems of={looking.error} />
        <div role="status">{found === undefined ? null : <Answer found={found} />}</div>
        <footer>
          <button type="submit" class="main" disabled={looking.isDoing}>
            Look up
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function Answer({ found: { pseudonyms, eras, lookedAt, notLookedAt } }: { found: Found }) {
  return (
    <>
      {pseudonyms === 0 ? (
        <p>No event that can still be decrypted names this data subject.</p>
      ) : (
        <ul>
          {eras.map((era) => (
            <li key={era.from}>
              {many(era.pseudonyms, 'pseudonym')} from {dateAndTime(era.from)} to{' '}
              {dateAndTime(era.until)}
            </li>
          ))}
        </ul>
      )}
      <p class="muted small">
        Searched: events of {lookedAt.join(', ')}.
        {notLookedAt.length === 0
          ? ''
          : ` Not searched: events of ${notLookedAt.join(', ')}. These contracts have no data subject field.`}
      </p>
    </>
  )
}

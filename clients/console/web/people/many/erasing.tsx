// The last step for the people of a file: shows what is done, and asks for a typed confirmation.
import { useState } from 'preact/hooks'
import { Typed } from '../../ui/typed.tsx'
import { many } from '../../ui/words.ts'

type Props = {
  /** The number of people who can be erased. `nowhere`: the number of people of whom nothing was found. */
  readonly found: number
  readonly nowhere: number
  readonly records: boolean
  readonly onRecords: (records: boolean) => void
  readonly isBusy: boolean
  readonly onErase: (event: Event) => void
}

export function Erasing({ found, nowhere, records, onRecords, isBusy, onErase }: Props) {
  const [typed, setTyped] = useState('')
  const parts = [
    ...(found > 0 ? [`erase ${many(found, 'person', 'people')}`] : []),
    ...(records && nowhere > 0 ? [`record ${many(nowhere, 'person', 'people')}`] : []),
  ]
  const text = parts.join(', ')
  return (
    <form onSubmit={onErase}>
      {nowhere === 0 ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={records}
            onChange={(event) => onRecords(event.currentTarget.checked)}
          />
          <span>
            Record that nothing was found of {many(nowhere, 'person', 'people')}{' '}
            <span class="hint">one request for each stream, with a receipt</span>
          </span>
        </label>
      )}
      {found === 0 ? null : (
        <p>
          Weir never again decrypts a personal field in the events that were found. Copies for these
          people can be downloaded only before. Outputs keep what they have decrypted until the days
          that the page Erasures shows.
        </p>
      )}
      {text === '' ? null : (
        <>
          <p>
            Each request has its own salt. Save the results afterwards: the salts are only in that
            file.
          </p>
          <Typed text={text} value={typed} onValue={setTyped} />
          <footer>
            <button
              type="submit"
              class={found > 0 ? 'danger' : 'main'}
              disabled={isBusy || typed !== text}
            >
              {text.charAt(0).toUpperCase() + text.slice(1)}
            </button>
          </footer>
        </>
      )}
    </form>
  )
}

// The reference and the due date of a request, or of all requests in a file.
import { inOneMonth, isPast } from './words.ts'

type TextProps = {
  readonly value: string
  readonly onValue: (value: string) => void
  /** Which requests the fields are for, if they are for several. */
  readonly of?: string
}

export function Reference({ value, onValue, of = '' }: TextProps) {
  return (
    <label>
      Reference{of}{' '}
      <span class="hint">
        optional, such as a ticket number. Requests do not name people: without it you cannot find
        the request of this person again. It appears in the receipt: write no name
      </span>
      <input
        maxLength={200}
        autocomplete="off"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

export const Due = ({ value, onValue, of = '' }: TextProps) => (
  <div>
    <label>
      Due{of} <span class="hint">optional: when the person must have an answer</span>
      <input type="date" value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    </label>
    <button type="button" class="quiet" onClick={() => onValue(inOneMonth())}>
      In one month
    </button>
    {value === '' ? null : (
      <button type="button" class="quiet" onClick={() => onValue('')}>
        No due date
      </button>
    )}
    <div role="status">
      {isPast(value) ? (
        <p class="problem">
          This day is already past (in UTC). The request is overdue from the start.
        </p>
      ) : null}
    </div>
  </div>
)

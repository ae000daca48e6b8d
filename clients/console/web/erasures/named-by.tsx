// By what a person is named: a value of the key field, or a data subject where contracts say which field names it.
import type { Person } from '../api/erasures.ts'

type Props = { readonly person: Person; readonly onChange: (person: Person) => void }

export function NamedBy({ person, onChange }: Props) {
  const { bySubject, value } = person
  return (
    <>
      <label>
        Named by
        <select
          value={bySubject ? 'subject' : 'key'}
          onChange={(event) =>
            onChange({ ...person, bySubject: event.currentTarget.value === 'subject' })
          }
        >
          <option value="key">key field</option>
          <option value="subject">data subject</option>
        </select>
      </label>
      <label>
        {bySubject ? 'Data subject' : 'Value of the key field'}{' '}
        <span class="hint">
          {bySubject ? 'all its devices and sessions' : 'of this person, as producers send it'}
        </span>
        <input
          required
          autocomplete="off"
          value={value}
          onInput={(event) => onChange({ ...person, value: event.currentTarget.value })}
        />
      </label>
    </>
  )
}

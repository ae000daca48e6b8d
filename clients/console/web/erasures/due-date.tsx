// Another due date for a request, the first one, or none. The audit log records who changed it.
import { useState } from 'preact/hooks'
import { changeDue } from '../api/erasures.ts'
import { Due } from '../ui/request-fields.tsx'
import type { Session } from '../session.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import type { OfStream } from './wanted.ts'

type Props = {
  readonly session: Session
  readonly erasure: OfStream
  readonly onChanged: () => void
}

export function DueDate({ session: { calls, may }, erasure, onChanged }: Props) {
  const [day, setDay] = useState<string>()
  const save = async (saved: string): Promise<void> => {
    await changeDue(calls, erasure, saved)
    setDay(undefined)
    onChanged()
  }
  const saving = useDoing(() => save(day ?? ''))
  const removing = useDoing(() => save(''))
  const { reference, id, dueOn } = erasure
  const label = dueOn === '' ? 'Add a due date' : 'Change the due date'
  if (!may('officer')) return null
  if (day === undefined)
    return (
      <p>
        <button
          type="button"
          aria-label={`${label} of ${reference || id}`}
          onClick={() => setDay(dueOn)}
        >
          {label}
        </button>
      </p>
    )
  return (
    <form onSubmit={saving.onSubmit}>
      <Due value={day} onValue={setDay} />
      <Problems of={saving.error ?? removing.error} />
      <p class="row">
        <button type="button" onClick={() => setDay(undefined)}>
          Cancel
        </button>
        {dueOn === '' ? null : (
          <button type="button" onClick={removing.run} disabled={removing.isDoing}>
            Remove the due date
          </button>
        )}
        <button type="submit" class="main" disabled={saving.isDoing || day === '' || day === dueOn}>
          Save the due date
        </button>
      </p>
    </form>
  )
}

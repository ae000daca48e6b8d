// Another due date for a request, or the first one. The audit log records who changed it.
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
  const saving = useDoing(async () => {
    await changeDue(calls, erasure, day ?? '')
    setDay(undefined)
    onChanged()
  })
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
      <Problems of={saving.error} />
      <p class="row">
        <button type="button" onClick={() => setDay(undefined)}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={saving.isDoing || day === '' || day === dueOn}>
          Save the due date
        </button>
      </p>
    </form>
  )
}

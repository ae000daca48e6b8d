// Changes, sets or removes the due date of a request. This can include all requests with the same reference, because
// one request of a person is often recorded in each stream. The audit log records who changed the date.
import { useState } from 'preact/hooks'
import { changeDue } from '../api/erasures.ts'
import { Due } from '../ui/request-fields.tsx'
import type { Session } from '../session.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { many } from '../ui/words.ts'
import { erasuresOf } from './listed.ts'
import type { OfStream } from './wanted.ts'

type Props = {
  readonly session: Session
  readonly erasure: OfStream
  /** All input streams of the account. */
  readonly all: readonly string[]
  readonly onChanged: () => void
}

export function DueDate({ session, onChanged, ...props }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { reference, id, dueOn } = props.erasure
  const label = dueOn === '' ? 'Add a due date' : 'Change the due date'
  const onDone = (): void => {
    setOpen(false)
    onChanged()
  }
  if (!session.may('officer')) return null
  if (isOpen) return <DueForm {...{ ...props, session, onDone }} onCancel={() => setOpen(false)} />
  return (
    <p>
      <button
        type="button"
        aria-label={`${label} of ${reference || id}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
    </p>
  )
}

type FormProps = Omit<Props, 'onChanged'> & {
  readonly onDone: () => void
  readonly onCancel: () => void
}

function DueForm({ session: { calls }, erasure, all, onDone, onCancel }: FormProps) {
  const { reference, dueOn } = erasure
  const [day, setDay] = useState(dueOn)
  const others = useLoad(
    async () => (reference === '' ? [] : othersLike(erasure, await erasuresOf(calls, all))),
    [],
  )
  const [isForAll, setForAll] = useState<boolean>()
  const same = others.value ?? []
  /** By default, all requests are changed if they had the same day until now. */
  const isWanted = isForAll ?? same.every((other) => other.dueOn === dueOn)
  const save = async (saved: string): Promise<void> => {
    for (const one of isWanted ? [...same, erasure] : [erasure]) await changeDue(calls, one, saved)
    onDone()
  }
  const saving = useDoing(() => save(day))
  const removing = useDoing(() => save(''))
  const isChanged = [erasure, ...(isWanted ? same : [])].some((one) => one.dueOn !== day)
  const isBusy = saving.isDoing || removing.isDoing || (others.value ?? others.error) === undefined
  return (
    <form class="event-form" onSubmit={saving.onSubmit}>
      <Due value={day} onValue={setDay} />
      {same.length === 0 ? null : (
        <ForAll {...{ reference, same, isWanted }} onWanted={setForAll} />
      )}
      <Problems of={saving.error ?? removing.error ?? others.error} />
      <p class="row">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        {dueOn === '' ? null : (
          <button type="button" onClick={removing.run} disabled={isBusy}>
            Remove the due date
          </button>
        )}
        <button type="submit" class="main" disabled={isBusy || day === '' || !isChanged}>
          Save the due date
        </button>
      </p>
    </form>
  )
}

type Like = Pick<OfStream, 'id' | 'reference'>

const othersLike = (
  { id, reference }: Like,
  { requests }: Awaited<ReturnType<typeof erasuresOf>>,
): readonly OfStream[] =>
  requests.filter((other) => other.reference === reference && other.id !== id)

type ForAllProps = {
  readonly reference: string
  readonly same: readonly OfStream[]
  readonly isWanted: boolean
  readonly onWanted: (isWanted: boolean) => void
}

const ForAll = ({ reference, same, isWanted, onWanted }: ForAllProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isWanted}
      onChange={(event) => onWanted(event.currentTarget.checked)}
    />
    <span>
      Also change {many(same.length, 'other request')} with the reference {reference}, in{' '}
      {[...new Set(same.map(({ stream }) => stream))].join(', ')}
    </span>
  </label>
)

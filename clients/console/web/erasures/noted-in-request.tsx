// Changes, adds or removes the reference and the due date of a request. The change can include all requests with the
// same reference, because a person is often erased in several streams. The audit log records the change.
import { useState } from 'preact/hooks'
import { changeNoted } from '../api/erasures.ts'
import { Due, Reference } from '../ui/request-fields.tsx'
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

export function NotedInRequest({ session, onChanged, ...props }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { reference, id } = props.erasure
  const onDone = (): void => {
    setOpen(false)
    onChanged()
  }
  if (!session.may('officer')) return null
  if (isOpen)
    return <NotedForm {...{ ...props, session, onDone }} onCancel={() => setOpen(false)} />
  return (
    <p>
      <button
        type="button"
        aria-label={`Change reference or due date of ${reference || id}`}
        onClick={() => setOpen(true)}
      >
        Change reference or due date
      </button>
    </p>
  )
}

type FormProps = Omit<Props, 'onChanged'> & {
  readonly onDone: () => void
  readonly onCancel: () => void
}

function NotedForm({ session: { calls }, erasure, all, onDone, onCancel }: FormProps) {
  const { reference, dueOn } = erasure
  const [noted, setNoted] = useState({ reference, dueOn })
  const others = useLoad(
    async () => (reference === '' ? [] : othersLike(erasure, await erasuresOf(calls, all))),
    [],
  )
  const [isForAll, setForAll] = useState<boolean>()
  const same = others.value ?? []
  /** By default, all requests are changed if they had the same due date. */
  const isWanted = isForAll ?? same.every((other) => other.dueOn === dueOn)
  const wanted = isWanted ? [...same, erasure] : [erasure]
  const saving = useDoing(async () => {
    const changed = { ...noted, reference: noted.reference.trim() }
    for (const one of wanted) await changeNoted(calls, one, changed)
    onDone()
  })
  const isChanged = wanted.some(
    (one) => one.dueOn !== noted.dueOn || one.reference !== noted.reference.trim(),
  )
  const isBusy = saving.isDoing || (others.value ?? others.error) === undefined
  return (
    <form class="event-form" onSubmit={saving.onSubmit}>
      <Reference
        value={noted.reference}
        onValue={(text) => setNoted({ ...noted, reference: text })}
      />
      <Due value={noted.dueOn} onValue={(day) => setNoted({ ...noted, dueOn: day })} />
      {same.length === 0 ? null : (
        <ForAll {...{ reference, same, isWanted }} onWanted={setForAll} />
      )}
      <Problems of={saving.error ?? others.error} />
      <p class="row">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={isBusy || !isChanged}>
          Save
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

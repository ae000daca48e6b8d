// Rebuilding an output: its events are deleted, and derived again from its stream. The user must type its name.
import { useState } from 'preact/hooks'
import { Refused } from '../api/calls.ts'
import type { Calls } from '../api/calls.ts'
import type { Output } from '../api/account.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { Typed } from '../ui/typed.tsx'
import { useDoing } from '../ui/use-doing.ts'

type Props = {
  readonly calls: Calls
  readonly output: Output
  readonly onClose: () => void
  readonly onDone: () => void
}

export function RebuildDialog({ calls, output: { input, name }, onClose, onDone }: Props) {
  const [typed, setTyped] = useState('')
  const [acceptLoss, setAcceptLoss] = useState(false)
  const rebuilding = useDoing(async () => {
    const path = `/v2/streams/${input}/outputs/${name}/rebuild`
    await calls.auth('POST', path, { acceptLoss })
    onDone()
    onClose()
  })
  const wouldLose =
    rebuilding.error instanceof Refused && rebuilding.error.code === 'would_lose_events'
  return (
    <Dialog title={`Rebuild ${name}`} onClose={onClose}>
      <form onSubmit={rebuilding.onSubmit}>
        <p>
          Weir deletes all events of {name}, and derives them again from those that {input} still
          has. Fields of people who were erased, or have withdrawn their consent, are not decrypted
          again. So {name} is clear of them before its retention ends.
        </p>
        <p>
          Tell the teams that read {name} first: a reader that has read everything gets all events
          again.
        </p>
        <Typed text={name} value={typed} onValue={setTyped} />
        <Problems of={rebuilding.error} />
        {wouldLose || acceptLoss ? (
          <label class="check">
            <input
              type="checkbox"
              checked={acceptLoss}
              onChange={(event) => setAcceptLoss(event.currentTarget.checked)}
            />
            Lose the events of {name} that {input} no longer has
          </label>
        ) : null}
        <footer>
          <button type="submit" class="danger" disabled={typed !== name || rebuilding.isDoing}>
            {rebuilding.isDoing ? 'Rebuilding …' : `Rebuild ${name}`}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

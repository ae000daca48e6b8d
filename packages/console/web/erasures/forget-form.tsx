// Forgetting a person, or withdrawing consents from a level up. It can't be undone, so it is asked for twice.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input } from '../api/account.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'

type Props = {
  readonly calls: Calls
  readonly input: Input
  readonly onClose: () => void
  readonly onDone: () => void
}

export function ForgetForm({ calls, input, onClose, onDone }: Props) {
  const [value, setValue] = useState('')
  const [fromLevel, setFromLevel] = useState('')
  const [isSure, setSure] = useState(false)
  const forgetting = useDoing(async () => {
    const from = fromLevel.trim() === '' ? {} : { fromLevel: Number(fromLevel) }
    await calls.auth('POST', `/v2/streams/${input.name}/erasures`, {
      keyFieldValue: value,
      ...from,
    })
    onDone()
    onClose()
  })
  return (
    <Dialog title={`Forget a person of ${input.name}`} onClose={onClose}>
      <form onSubmit={forgetting.onSubmit}>
        <label>
          Value of the key field <span class="hint">the person's, as producers send it</span>
          <input
            required
            autocomplete="off"
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
        <label>
          From level{' '}
          <span class="hint">leave empty to forget all; else only consents from this level up</span>
          <input
            inputMode="numeric"
            value={fromLevel}
            onInput={(event) => setFromLevel(event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            required
            checked={isSure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />
          What was sealed for this person can't be opened any more, in no copy. It can't be undone.
        </label>
        <Problems of={forgetting.error} />
        <footer>
          <button type="submit" class="danger" disabled={forgetting.isDoing}>
            Forget
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

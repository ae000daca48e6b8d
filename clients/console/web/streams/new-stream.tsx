// Creating an input stream. Only the response to the creation contains the secret, so the dialog stays open to show it.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { credentialsIn, SecretsDialog } from './secrets.tsx'
import type { Credentials } from './secrets.tsx'

type Props = { readonly calls: Calls; readonly onClose: () => void; readonly onDone: () => void }

export function NewStream({ calls, onClose, onDone }: Props) {
  const [name, setName] = useState('')
  const [partitions, setPartitions] = useState('3')
  const [made, setMade] = useState<Credentials>()
  const making = useDoing(async () => {
    setMade(
      credentialsIn(
        await calls.auth('POST', '/v2/streams', { name, partitions: Number(partitions) }),
      ),
    )
    onDone()
  })
  if (made !== undefined)
    return <SecretsDialog {...{ name, onClose }} use="send" credentials={made} />
  return (
    <Dialog title="New stream" onClose={onClose}>
      <form onSubmit={making.onSubmit}>
        <label>
          Name <span class="hint">lower-case letters, digits, single dashes</span>
          <input
            required
            maxLength={63}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Partitions <span class="hint">1 to 100; cannot be changed later</span>
          <input
            inputMode="numeric"
            value={partitions}
            onInput={(event) => setPartitions(event.currentTarget.value)}
          />
        </label>
        <Problems of={making.error} />
        <footer>
          <button type="submit" class="main" disabled={making.isDoing}>
            {making.isDoing ? 'Creating …' : 'Create stream'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

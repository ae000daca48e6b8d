// Deleting a stream with its events, keys and credentials: the user must type its name.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input, Output } from '../api/account.ts'
import { listErasures } from '../api/erasures.ts'
import { AllReceipts } from '../erasures/all-receipts.tsx'
import { hrefOf } from '../place.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { Typed } from '../ui/typed.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { many } from '../ui/words.ts'

export type Doomed = { readonly input: Input; readonly output?: Output }

type Props = {
  readonly calls: Calls
  readonly doomed: Doomed
  readonly onClose: () => void
  readonly onDone: () => void
}

export function DeleteDialog({ calls, doomed: { input, output }, onClose, onDone }: Props) {
  const [typed, setTyped] = useState('')
  const name = output?.name ?? input.name
  const others = output === undefined ? input.outputs.map((one) => one.name) : []
  const deleting = useDoing(async () => {
    await calls.auth('DELETE', pathOf(input, output, others.length > 0))
    onDone()
    onClose()
  })
  return (
    <Dialog title={`Delete ${name}`} onClose={onClose}>
      <form onSubmit={deleting.onSubmit}>
        <p>
          Its events and credentials are deleted, too.
          {output === undefined
            ? ' So are its keys: nobody can decrypt copies of its events any more.'
            : ''}
          {others.length > 0 ? ` Its outputs are deleted too: ${others.join(', ')}.` : ''}
        </p>
        {output === undefined ? <LostReceipts {...{ calls, input }} onClose={onClose} /> : null}
        <Typed text={name} value={typed} onValue={setTyped} />
        <Problems of={deleting.error} />
        <footer>
          <button type="submit" class="danger" disabled={typed !== name || deleting.isDoing}>
            {deleting.isDoing ? 'Deleting …' : `Delete ${name}`}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

type LostProps = Pick<Props, 'calls' | 'onClose'> & { readonly input: Input }

/** Warns that the receipts will be lost, so that the user can save them first. */
function LostReceipts({ calls, input: { name }, onClose }: LostProps) {
  const erasures = useLoad(() => listErasures(calls, name), [calls, name])
  const all = erasures.value?.map((erasure) => ({ ...erasure, stream: name })) ?? []
  const count = all.length
  if (count === 0) return <Problems of={erasures.error} />
  return (
    <>
      <p>
        <strong>{many(count, 'request')} to erase or withdraw</strong> and{' '}
        {count === 1 ? 'its receipt' : 'their receipts'} are deleted, too. Save the receipts first:
        nobody can get them later. The page{' '}
        <a href={hrefOf('erasures', name)} onClick={onClose}>
          Erasures
        </a>{' '}
        shows the requests.
      </p>
      <AllReceipts calls={calls} erasures={all} />
    </>
  )
}

function pathOf(input: Input, output: Output | undefined, isRecursive: boolean): string {
  const path = `/v2/streams/${input.name}`
  if (output !== undefined) return `${path}/outputs/${output.name}`
  return isRecursive ? `${path}?recursive=true` : path
}

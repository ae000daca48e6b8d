// Erasing a person, and withdrawing consent for a level and those above: two windows with words of their own, so that nothing left empty
// turns the one into the other. Neither can be undone, so each is asked for twice.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input } from '../api/account.ts'
import { erase } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { NamedBy } from './named-by.tsx'

export type Kind = 'erase' | 'withdraw'

type Props = {
  readonly kind: Kind
  readonly calls: Calls
  readonly input: Input
  readonly onClose: () => void
  readonly onDone: (made: Made) => void
}

export function PersonForm({ kind, calls, input, onClose, onDone }: Props) {
  const [person, setPerson] = useState({ bySubject: false, value: '' })
  const [level, setLevel] = useState('')
  const [reference, setReference] = useState('')
  const [isSure, setSure] = useState(false)
  const isErasing = kind === 'erase'
  const doing = useDoing(async () => {
    const made = await erase(calls, input.name, {
      ...person,
      ...(isErasing ? {} : { fromLevel: levelOf(level) }),
      ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
    })
    onDone(made)
  })
  const title = isErasing
    ? `Erase a person from ${input.name}`
    : `Withdraw consent in ${input.name}`
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={doing.onSubmit}>
        <NamedBy {...{ person }} onChange={setPerson} />
        {isErasing ? null : <FromLevel value={level} onValue={setLevel} />}
        <Reference value={reference} onValue={setReference} />
        <p>{isErasing ? whatErasingDoes : whatWithdrawingDoes}</p>
        <p>
          Outputs keep values that they decrypted before the erasure was applied, until the
          retention of their topics removes them. The next window lists these outputs.
        </p>
        <Sure isSure={isSure} onSure={setSure} />
        <Problems of={doing.error} />
        <footer>
          <button type="submit" class="danger" disabled={doing.isDoing}>
            {isErasing ? 'Erase' : 'Withdraw'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

type TextProps = { readonly value: string; readonly onValue: (value: string) => void }

function FromLevel({ value, onValue }: TextProps) {
  return (
    <label>
      From level <span class="hint">this level and those above; lower levels stay readable</span>
      <input
        required
        type="number"
        min="0"
        max="255"
        step="1"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

function Reference({ value, onValue }: TextProps) {
  return (
    <label>
      Reference{' '}
      <span class="hint">optional: such as a ticket number; shown here and in the receipt</span>
      <input
        autocomplete="off"
        maxLength={200}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

function Sure({ isSure, onSure }: { isSure: boolean; onSure: (isSure: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        required
        checked={isSure}
        onChange={(event) => onSure(event.currentTarget.checked)}
      />
      I have checked the value. This can't be undone.
    </label>
  )
}

const whatErasingDoes =
  'Weir never again decrypts any personal field of this person, in the input stream or in a copy of it.'
const whatWithdrawingDoes =
  'Weir never again decrypts the personal fields of this person at this level or above, in the input stream or in a copy of it. ' +
  'Later events keep the consent levels with which they are sent.'

/** A text that is no number must never become a lower level. */
function levelOf(text: string): number {
  if (!/^\d{1,3}$/.test(text.trim())) throw new Error('The level must be a whole number, 0 to 255.')
  return Number(text)
}

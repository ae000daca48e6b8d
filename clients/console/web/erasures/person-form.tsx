// Erasing a person, and withdrawing consent for levels: two windows with words of their own, so that nothing left empty
// turns the one into the other. Neither can be undone, so each is asked for twice.
import { useState } from 'preact/hooks'
import { Refused } from '../api/calls.ts'
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
  const [levels, setLevels] = useState('')
  const [reference, setReference] = useState('')
  const [isSure, setSure] = useState(false)
  const [evenIfNoneFound, setEven] = useState(false)
  const isErasing = kind === 'erase'
  const doing = useDoing(async () => {
    const made = await erase(calls, input.name, {
      ...person,
      ...(isErasing ? {} : { levels: levelsOf(levels) }),
      ...(evenIfNoneFound ? { evenIfNoneFound } : {}),
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
        {isErasing ? null : <Levels value={levels} onValue={setLevels} />}
        <Reference value={reference} onValue={setReference} />
        <p>{isErasing ? whatErasingDoes : whatWithdrawingDoes}</p>
        <p>
          Outputs keep values that they decrypted before the erasure was applied, until the
          retention of their topics removes them. The next window lists these outputs.
        </p>
        <Sure isSure={isSure} onSure={setSure} />
        <Problems of={doing.error} />
        {evenIfNoneFound || isNoneFound(doing.error) ? (
          <Even isChecked={evenIfNoneFound} onCheck={setEven} />
        ) : null}
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

function Levels({ value, onValue }: TextProps) {
  return (
    <label>
      Levels <span class="hint">such as 2, or 1, 3; other levels stay as they are</span>
      <input
        required
        inputMode="numeric"
        pattern={levelsPattern}
        autocomplete="off"
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

type EvenProps = { readonly isChecked: boolean; readonly onCheck: (isChecked: boolean) => void }

function Even({ isChecked, onCheck }: EvenProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      Continue although no event was found. The receipt will say so.
    </label>
  )
}

const isNoneFound = (error: unknown): boolean =>
  error instanceof Refused && error.code === 'none_found'

const whatErasingDoes =
  'Weir never again decrypts any personal field of this person, in the input stream or in a copy of it.'
const whatWithdrawingDoes =
  'From now on Weir handles all stored events of this person as if they had been sent without these levels, and never again decrypts ' +
  'their fields of these levels. ' +
  'Later events keep the consent levels with which they are sent.'

const levelsPattern = '\\s*\\d{1,3}(\\s*,\\s*\\d{1,3})*\\s*'

/** A text that is no number must never become another level. */
function levelsOf(text: string): number[] {
  if (!new RegExp(`^${levelsPattern}$`).test(text))
    throw new Error('The levels must be whole numbers from 0 to 255, with commas between them.')
  return text.split(',').map(Number)
}

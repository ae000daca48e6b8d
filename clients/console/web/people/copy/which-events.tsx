// Which events the copies for a person contain, if a device or a session may belong to several people.
import type { Naming } from '../../api/held.ts'

type Props = { readonly naming: Naming; readonly onNaming: (naming: Naming) => void }

const choices = [
  ['not others', 'leave out events that name somebody else'],
  ['the person', 'have only events that name this person'],
  [
    'anybody',
    'have all events of the same devices, sessions and the like, also those of other people',
  ],
] as const satisfies readonly (readonly [Naming, string])[]

export const WhichEvents = ({ naming, onNaming }: Props) => (
  <fieldset>
    <legend>
      Downloads <span class="hint">for a single device or session, search for its value</span>
    </legend>
    {choices.map(([value, words]) => (
      <label key={value} class="check">
        <input
          type="radio"
          name="naming"
          checked={naming === value}
          onChange={() => onNaming(value)}
        />
        {words}
      </label>
    ))}
  </fieldset>
)

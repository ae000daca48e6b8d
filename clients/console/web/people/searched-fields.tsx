// The fields with which a search compares a value. Without this list, other fields would seem to be searched, too.
import { hrefOf } from '../place.ts'
import type { Loaded } from '../ui/use-load.ts'
import { many } from '../ui/words.ts'
import type { searchFields } from './levels.ts'

const contractsMax = 20

export type Fields = Loaded<ReturnType<typeof searchFields>>

type FieldsProps = { readonly fields: Fields }

export function FieldsOfContracts({ fields }: FieldsProps) {
  const { contracts = [] } = fields.value ?? {}
  return (
    <ul class="plain">
      {contracts.slice(0, contractsMax).map(({ id, by, not }) => (
        <li key={id}>
          {id}: {by.join(', ')}
          {not.length === 0 ? '' : `; not ${not.join(', ')}`}
        </li>
      ))}
      {contracts.length > contractsMax ? (
        <li>
          and {many(contracts.length - contractsMax, 'more contract')}, on the page{' '}
          <a href={hrefOf('contracts')}>Contracts</a>
        </li>
      ) : null}
    </ul>
  )
}

/** Shown beside search results and in dialogs. Long dialogs show the list closed to save space. */
export const OnlyTheseFields = ({ fields, isOpen }: FieldsProps & { readonly isOpen: boolean }) => (
  <details open={isOpen}>
    <summary>Not included: events that name this person by another value only.</summary>
    <p>
      Search for other values, too. If an event has this value and, for example, a session, the
      other events of the session in this stream are included. Only these fields were compared:
    </p>
    <FieldsOfContracts fields={fields} />
  </details>
)

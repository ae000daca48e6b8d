// Whom the events of each device or session name, because an erasure covers all of these events. The search decrypts
// nothing, so the page downloads the events. The audit log records this.
import { useState } from 'preact/hooks'
import { Refused } from '../api/calls.ts'
import type { Calls } from '../api/calls.ts'
import { eventsOf } from '../api/people.ts'
import type { FoundIn } from '../api/people.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { bytes, count, many } from '../ui/words.ts'
import { namesIn, namesInWords, rowsOf } from './names-in.ts'
import type { Names } from './names-in.ts'
import type { Fields } from './searched-fields.tsx'

type Props = {
  readonly calls: Calls
  readonly searchId: string
  readonly found: FoundIn
  readonly fields: Fields
}

const bytesMax = 50_000_000

export function WhomTheyName({ calls, searchId, found, fields }: Props) {
  const { stream, by } = found
  const [said, setSaid] = useState('')
  const [byKey, setByKey] = useState<ReadonlyMap<string, Names>>(new Map())
  const keyOf = (id: string): string =>
    fields.value?.contracts.find((contract) => contract.id === id)?.by[0] ?? ''
  const counting = useDoing(async () => {
    try {
      const what = { stream, searchId, format: 'ndjson', naming: 'anybody' } as const
      const events = await eventsOf(calls, what, bytesMax)
      const naming = by.map((each) => ({ ...each, keyField: keyOf(each.contract) }))
      const names = namesIn(await events.text(), naming)
      setSaid(namesInWords(names.all))
      setByKey(names.byKey)
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 413) throw error
      setSaid(
        `There are more than ${bytes(bytesMax)}: download them, and count by the column person.`,
      )
    }
  })
  if (!by.some(({ isBesideKey }) => isBesideKey)) return null
  const keys = [...new Set(by.map(({ contract }) => keyOf(contract)))].join(' or ')
  return (
    <>
      <p class="row">
        <button type="button" onClick={counting.run} disabled={counting.isDoing}>
          Show whom these events name
        </button>
        <span role="status">{said}</span>
      </p>
      {byKey.size === 0 ? null : <ByKey {...{ keys, byKey, stream }} />}
      <Problems of={counting.error} />
    </>
  )
}

type ByKeyProps = {
  /** The names of the key fields. */
  readonly keys: string
  readonly byKey: ReadonlyMap<string, Names>
  readonly stream: string
}

/** Shows the value of each device, which is needed to erase this device only. */
function ByKey({ keys, byKey, stream }: ByKeyProps) {
  const { rows, more } = rowsOf(byKey)
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={`${keys} in ${stream}`}>
      <table class="by-row">
        <thead>
          <tr>
            <th scope="col">{keys}</th>
            <th scope="col">events</th>
            <th scope="col">whom they name</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, events, whom }) => (
            <tr key={key}>
              <th scope="row">{key === '' ? 'unknown' : key}</th>
              <td data-column="events">{count(events)}</td>
              <td data-column="whom they name">{whom}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more === 0 ? null : <p>and {many(more, 'more value')}, in a copy</p>}
    </div>
  )
}

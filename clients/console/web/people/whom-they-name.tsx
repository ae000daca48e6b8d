// Whom the events of a device or a session name, because an erasure reaches all of them. The search decrypts nothing,
// so this reads the events, which the audit log records.
import { useState } from 'preact/hooks'
import { Refused } from '../api/calls.ts'
import type { Calls } from '../api/calls.ts'
import { eventsOf } from '../api/people.ts'
import type { FoundIn } from '../api/people.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { bytes } from '../ui/words.ts'
import { namesIn, namesInWords } from './names-in.ts'

type Props = { readonly calls: Calls; readonly searchId: string; readonly found: FoundIn }

const bytesMax = 50_000_000

export function WhomTheyName({ calls, searchId, found }: Props) {
  const { stream, by } = found
  const [said, setSaid] = useState('')
  const counting = useDoing(async () => {
    try {
      const what = { stream, searchId, format: 'ndjson', naming: 'anybody' } as const
      const events = await eventsOf(calls, what, bytesMax)
      setSaid(namesInWords(namesIn(await events.text(), by)))
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 413) throw error
      setSaid(
        `There are more than ${bytes(bytesMax)}: download them, and count by the column person.`,
      )
    }
  })
  if (!by.some(({ isBesideKey }) => isBesideKey)) return null
  return (
    <>
      <p class="row">
        <button type="button" onClick={counting.run} disabled={counting.isDoing}>
          Show whom these events name
        </button>
        <span role="status">{said}</span>
      </p>
      <Problems of={counting.error} />
    </>
  )
}

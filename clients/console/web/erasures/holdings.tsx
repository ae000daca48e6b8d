// The outputs that may contain values that were decrypted before an erasure, and until when. An erasure doesn't store
// which of them got events of the person. Only the search knows.
import type { Erasure } from '../api/erasure.ts'
import type { Held } from '../api/people.ts'
import { count, dayOf } from '../ui/words.ts'

type Props = {
  readonly erasure: Pick<Erasure, 'id' | 'values' | 'outputs' | 'levels' | 'found'>
  /** What the search found, if it is known. */
  readonly held?: readonly Held[]
}

export function Holdings({ erasure, held }: Props) {
  const { id, outputs, levels, found, values } = erasure
  const what = levels === undefined ? 'erasure' : 'withdrawal'
  if (outputs.length === 0) return <p class="muted">No output decrypts these fields.</p>
  const eventsIn = (name: string, deleted: boolean): number =>
    held?.find((one) => one.name === name && one.kind === (deleted ? 'deleted' : 'output'))
      ?.events ?? 0
  return (
    <>
      <p>
        {found === 0
          ? 'These outputs may still contain values of events that had left the stream before the search:'
          : `These outputs decrypt these levels. Those that got events of ${values === 1 ? 'the person' : 'these people'} may still contain values that they decrypted before the ${what} was applied:`}
      </p>
      <div
        class="scroller"
        tabIndex={0}
        role="region"
        aria-label={`Outputs with decrypted values, ${what} ${id}`}
      >
        <table class="by-row">
          <thead>
            <tr>
              <th scope="col">output</th>
              <th scope="col">levels</th>
              {held === undefined ? null : <th scope="col">events found</th>}
              <th scope="col">kept until</th>
            </tr>
          </thead>
          <tbody>
            {outputs.map(({ name, levels: decrypted, clearAt, because, deleted }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  {deleted ? ' (deleted)' : ''}
                </th>
                <td data-column="levels">{decrypted.join(', ')}</td>
                {held === undefined ? null : (
                  <td data-column="events found">{count(eventsIn(name, deleted))}</td>
                )}
                <td data-column="kept until">
                  {clearAt === 'unknown' ? `unknown: ${because}` : dayOf(clearAt)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

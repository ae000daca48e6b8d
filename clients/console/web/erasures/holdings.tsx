// The outputs that may contain values that were decrypted before an erasure, and until when.
import type { Erasure } from '../api/erasure.ts'
import { dayOf } from '../ui/words.ts'

type Props = Pick<Erasure, 'id' | 'outputs' | 'levels' | 'found'>

export function Holdings({ id, outputs, levels, found }: Props) {
  const what = levels === undefined ? 'erasure' : 'withdrawal'
  if (outputs.length === 0) return <p class="muted">No output decrypts these fields.</p>
  return (
    <>
      <p>
        {found === 0
          ? 'These outputs may still contain values of events that had left the stream before the search:'
          : `These outputs may still contain values that they decrypted before the ${what} was applied:`}
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
              <th scope="col">kept until</th>
            </tr>
          </thead>
          <tbody>
            {outputs.map(({ name, levels, clearAt, because, deleted }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  {deleted ? ' (deleted)' : ''}
                </th>
                <td data-column="levels">{levels.join(', ')}</td>
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

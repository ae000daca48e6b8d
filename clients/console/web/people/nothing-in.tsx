// The streams in which nothing was found of a person. That can be recorded, in each or in all of them.
import type { Erasure } from '../api/erasure.ts'
import type { FoundIn } from '../api/people.ts'
import type { AskedOf } from './person-dialog.tsx'
import { RequestLink } from './request-link.tsx'

type Props = {
  readonly others: readonly FoundIn[]
  readonly requestOf: (found: FoundIn) => Erasure | undefined
  readonly onAsk: (asked: AskedOf) => void
}

export function NothingIn({ others, requestOf, onAsk }: Props) {
  const [first, ...rest] = others.filter((found) => requestOf(found) === undefined)
  return (
    <section class="card" aria-label="Streams without events of this person">
      <p>Nothing was found in these streams, in their outputs and dead letters:</p>
      <ul class="plain">
        {others.map((found) => (
          <li key={found.stream}>
            {found.stream}{' '}
            {requestOf(found) === undefined ? (
              <button type="button" onClick={() => onAsk({ kind: 'record', found: [found] })}>
                Record that nothing was found<span class="unseen"> in {found.stream}</span>
              </button>
            ) : (
              <RequestLink stream={found.stream} request={requestOf(found)} />
            )}
          </li>
        ))}
      </ul>
      {first === undefined || rest.length === 0 ? null : (
        <p>
          <button type="button" onClick={() => onAsk({ kind: 'record', found: [first, ...rest] })}>
            Record that nothing was found in all {rest.length + 1} streams …
          </button>
        </p>
      )}
    </section>
  )
}

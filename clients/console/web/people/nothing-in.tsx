// The streams in which nothing was found of a person. The user can record this for one stream or for all. If this
// session has erased the person in a stream, its outputs may still contain decrypted values that the search does not
// find.
import type { Erasure } from '../api/erasure.ts'
import { isRecord } from '../api/erasure.ts'
import type { FoundIn } from '../api/people.ts'
import { hrefOf } from '../place.ts'
import { dayOf } from '../ui/words.ts'
import type { AskedOf } from './person-dialog.tsx'
import { RequestLink } from './request-link.tsx'

type Props = {
  readonly others: readonly FoundIn[]
  readonly requestOf: (found: FoundIn) => Erasure | undefined
  readonly onAsk: (asked: AskedOf) => void
}

export function NothingIn({ others, requestOf, onAsk }: Props) {
  const requested = others.flatMap((found) => {
    const request = requestOf(found)
    const isErasing = request !== undefined && !isRecord(request)
    return isErasing ? [{ stream: found.stream, request }] : []
  })
  const nowhere = others.filter(({ stream }) => !requested.some((one) => one.stream === stream))
  return (
    <>
      {requested.length === 0 ? null : <Requested requested={requested} />}
      {nowhere.length === 0 ? null : <Nowhere {...{ requestOf, onAsk }} others={nowhere} />}
    </>
  )
}

type RequestedProps = {
  readonly requested: readonly { readonly stream: string; readonly request: Erasure }[]
}

const Requested = ({ requested }: RequestedProps) => (
  <section class="card" aria-label="Streams with a request for this person">
    <p>
      A search by this value no longer finds what is erased. Outputs can still contain what they
      decrypted before, until these days:
    </p>
    <ul class="plain">
      {requested.map(({ stream, request }) => (
        <li key={stream}>
          {stream}: {keptIn(request)}. <RequestLink {...{ stream, request }} />
        </li>
      ))}
    </ul>
  </section>
)

function keptIn({ outputs }: Erasure): string {
  const keeping = outputs.filter(({ events }) => events !== 0)
  if (keeping.length === 0) return 'no output'
  return keeping
    .map(({ name, clearAt }) =>
      clearAt === 'unknown'
        ? `${name}, nobody knows until when`
        : `${name} until ${dayOf(clearAt)}`,
    )
    .join(', ')
}

function Nowhere({ others, requestOf, onAsk }: Props) {
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
      <p class="muted small">
        A search may no longer find events that were erased before. The page{' '}
        <a href={hrefOf('erasures')}>Erasures</a> lists the outputs that may still contain values
        that they decrypted before an erasure.
      </p>
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

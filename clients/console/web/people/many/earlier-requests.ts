// Earlier requests for a person: those of this session, and those in a file of results. Each request in a file is
// looked up, because the file may be old. Pure.
import { requestKey } from '../../api/erasure.ts'
import type { Erasure } from '../../api/erasure.ts'
import type { Listed, Requested } from './people-file.ts'
import type { EarlierRequest } from './person.ts'

type Known = {
  /** This session's requests, by `requestKey`. */
  readonly requests: ReadonlyMap<string, Erasure>
  readonly existing: (request: Requested) => Promise<Erasure | undefined>
}

/** Returns at most one for each stream: the session's, else the last in the file. */
export async function earlierRequests(
  { requests, existing }: Known,
  { asked, requested }: Pick<Listed, 'asked' | 'requested'>,
  streams: readonly string[],
): Promise<readonly EarlierRequest[]> {
  const earlier: EarlierRequest[] = []
  for (const stream of streams) {
    const named = requested.findLast((one) => one.stream === stream)
    const erasure =
      requests.get(requestKey(asked.value, stream)) ?? (named && (await existing(named)))
    if (erasure !== undefined) earlier.push({ stream, erasure })
  }
  return earlier
}

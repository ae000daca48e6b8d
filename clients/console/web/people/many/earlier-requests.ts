// The requests for a person before the list is searched: those of this session, and those that a file of results names.
// Auth is asked whether those of a file exist, because the file may be old, or of another account. Pure.
import { requestKey } from '../../api/erasure.ts'
import type { Erasure } from '../../api/erasure.ts'
import type { Listed, Requested } from './people-file.ts'
import type { EarlierRequest } from './person.ts'

type Known = {
  /** By `requestKey`. */
  readonly requests: ReadonlyMap<string, Erasure>
  readonly existing: (request: Requested) => Promise<Erasure | undefined>
}

/** At most one in each stream: the session's, or the last that the file names. */
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

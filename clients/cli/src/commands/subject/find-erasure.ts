// Finds an erasure by its id or its reference. The user need not know the stream.
import { failure, misuse } from '../../errors.ts'
import { textAt } from '../../json.ts'
import { streamRecordsOf } from '../../api/stream-records.ts'
import { listInputNames } from '../../api/streams.ts'
import type { Session } from '../../session.ts'

/** For the help of the commands that take `wanted`. */
export const idOrReference =
  'the id that `weir subject erase` and `weir erasure list` print, or the reference'

export type ErasureFound = { readonly path: readonly string[]; readonly record: unknown }

/**
 * Reads the lists of all streams. A request for this id in the wrong stream would be a refusal in the audit log.
 * @throws CliError if there is none, or if several have this reference
 */
export async function findErasure(session: Session, wanted: string): Promise<ErasureFound> {
  const referring: ErasureFound[] = []
  for (const name of await listInputNames(session)) {
    const path = ['streams', name, 'erasures']
    for (const record of streamRecordsOf(await session.manage({ method: 'GET', path }))) {
      const id = textAt(record, 'id') ?? ''
      if (id === wanted) return { path: [...path, id], record }
      if (textAt(record, 'reference') === wanted) referring.push({ path: [...path, id], record })
    }
  }
  const [found, ...others] = referring
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined)
    throw misuse(
      `${referring.length} erasures have the reference ${wanted}; give the id of one`,
      ...referring.map(({ path }) => `${path[3]} of ${path[1]}`),
    )
  throw failure(
    `no stream has an erasure ${wanted}`,
    'Give the whole id or reference: `weir erasure list` shows all. Those of deleted streams are gone.',
  )
}

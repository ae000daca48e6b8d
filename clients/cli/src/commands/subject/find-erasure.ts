// Finds an erasure by its id. The user need not know the stream.
import { failure } from '../../errors.ts'
import { textAt } from '../../json.ts'
import { streamRecordsOf } from '../../api/stream-records.ts'
import { listInputNames } from '../../api/streams.ts'
import type { Session } from '../../session.ts'

export type ErasureFound = { readonly path: readonly string[]; readonly record: unknown }

/**
 * Reads the lists of all streams. A request for this id in the wrong stream would be a refusal in the audit log.
 */
export async function findErasure(session: Session, id: string): Promise<ErasureFound> {
  for (const name of await listInputNames(session)) {
    const path = ['streams', name, 'erasures']
    const list = streamRecordsOf(await session.manage({ method: 'GET', path }))
    const record = list.find((each) => textAt(each, 'id') === id)
    if (record !== undefined) return { path: [...path, id], record }
  }
  throw failure(
    `no stream has an erasure ${id}`,
    'Give the whole id: `weir erasure list` shows all. Those of deleted streams are gone.',
  )
}

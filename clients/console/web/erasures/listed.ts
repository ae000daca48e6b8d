// The requests of several streams, and which of these streams were deleted.
import { Refused } from '../api/calls.ts'
import type { Calls } from '../api/calls.ts'
import { listErasures } from '../api/erasures.ts'
import type { OfStream } from './wanted.ts'

type Listed = {
  readonly requests: readonly OfStream[]
  /** The streams that were deleted since the page was opened. */
  readonly gone: readonly string[]
}

export async function erasuresOf(calls: Calls, names: readonly string[]): Promise<Listed> {
  const lists = await Promise.all(
    names.map(async (stream) => ({
      stream,
      list: await listErasures(calls, stream).catch(undefinedIfGone),
    })),
  )
  return {
    requests: lists.flatMap(({ stream, list = [] }) =>
      list.map((erasure) => ({ ...erasure, stream })),
    ),
    gone: lists.filter(({ list }) => list === undefined).map(({ stream }) => stream),
  }
}

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof Refused && error.status === 404) return undefined
  throw error
}

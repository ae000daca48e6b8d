// Finds the streams that this deployment derives, and reports changes. Such a stream is ready, has a decrypterName of
// this deployment, and has only levels that this deployment may decrypt. owners/ decides which partitions this replica
// owns.
import type { DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import { controlTopic, topicOf } from '@weir/control-state'
import type { Log } from '@weir/kit'
import { levelsDenied } from './levels.ts'
import type { LevelsAllowed } from './levels.ts'

export type Served = { readonly stream: DerivedStream; readonly input: InputStream }

export type ServedStreams = {
  /**
   * Reports the current streams once control state is fresh, then each change. Returns a function that stops the
   * reports.
   */
  follow(): () => void
  all(): Iterable<Served>
  denied(): number
}

export type ServedDeps = {
  readonly follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange'>
  readonly decrypterNames: readonly string[]
  readonly levels: LevelsAllowed
  /** `served` is undefined if this deployment no longer derives the stream. */
  readonly onChange: (streamId: string, served: Served | undefined) => void
  readonly log: Log
}

export function createServedStreams(deps: ServedDeps): ServedStreams {
  const { follower } = deps
  const served = new Map<string, Served>()
  const rights = createRights(deps)
  const table: Table = { deps, served, rights, isUnsettled: true }

  return {
    follow() {
      const unsubscribe = follower.onChange((topic, key) => changed(table, topic, key))
      const check = () => table.isUnsettled && follower.isFresh() && settle(table)
      const checking = setInterval(check, CHECK_EVERY_MS)
      check()
      return () => {
        unsubscribe()
        clearInterval(checking)
      }
    },
    all: () => served.values(),
    denied: () => rights.denied.size,
  }
}

type Table = {
  readonly deps: ServedDeps
  /** The served streams by streamId. */
  readonly served: Map<string, Served>
  readonly rights: ReturnType<typeof createRights>
  /** True while `served` may differ from control state. */
  isUnsettled: boolean
}

function settle(table: Table): void {
  const { tables } = table.deps.follower
  table.isUnsettled = false
  for (const { stream } of table.served.values()) putById(table, stream)
  for (const stream of tables.streams()) if (stream.kind === 'derived') put(table, stream)
}

/** After a change of one record, checks only the streams with the record's name. */
function changed(table: Table, topic: string, key?: string): void {
  const { tables, isFresh } = table.deps.follower
  if (topic !== controlTopic) return
  // While the tables are read again, they lack existing streams.
  if (!isFresh() || key === undefined) {
    table.isUnsettled = true
    return
  }
  const [folder, billingId = '', name = ''] = key.split('/')
  if (folder !== 'stream') return
  for (const { stream } of table.served.values())
    if (stream.billingId === billingId && stream.name === name) putById(table, stream)
  const stream = tables.stream(billingId, name)
  if (stream?.kind === 'derived') put(table, stream)
}

function put({ deps, served, rights }: Table, stream: DerivedStream): void {
  const now = servedAs(deps, stream)
  if (now === undefined) rights.denied.delete(topicOf(stream))
  if (now !== undefined && rights.mayOpen(stream)) {
    served.set(stream.streamId, now)
    deps.onChange(stream.streamId, now)
  } else if (served.delete(stream.streamId)) deps.onChange(stream.streamId, undefined)
}

/** Finds the stream by its id, because another stream may have its name now. */
function putById(table: Table, { streamId }: DerivedStream): void {
  const now = table.deps.follower.tables.streamById(streamId)
  if (now?.kind === 'derived') put(table, now)
  else if (table.served.delete(streamId)) table.deps.onChange(streamId, undefined)
}

const CHECK_EVERY_MS = 500

function servedAs(
  { follower, decrypterNames }: ServedDeps,
  stream: DerivedStream,
): Served | undefined {
  if (stream.state !== 'ready' || !decrypterNames.includes(stream.decrypterName)) return undefined
  const input = follower.tables.inputOf(stream)
  return input && { stream, input }
}

/** `denied` contains the topics of streams with levels that this deployment may not decrypt. */
function createRights({ levels, log }: Pick<ServedDeps, 'levels' | 'log'>) {
  const denied = new Set<string>()
  return {
    denied,
    mayOpen(stream: DerivedStream): boolean {
      const topic = topicOf(stream)
      const lacking = levelsDenied(stream, levels)
      if (lacking.length === 0) return true
      if (!denied.has(topic))
        log.error(
          { stream: topic, levels: lacking },
          'a stream needs levels that this deployment may not decrypt: it is not derived here',
        )
      denied.add(topic)
      return false
    },
  }
}

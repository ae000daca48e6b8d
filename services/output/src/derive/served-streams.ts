// The derived streams that this deployment derives, from control state: they are ready, have a decrypterName of this
// deployment, and have only levels that it may decrypt. It reports changes. owners/ decides which of their partitions
// this replica owns.
import type { DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import { controlTopic, topicOf } from '@weir/control-state'
import type { Log } from '@weir/kit'
import { levelsDenied } from './levels.ts'
import type { LevelsAllowed } from './levels.ts'

export type Served = { readonly stream: DerivedStream; readonly input: InputStream }

export type ServedStreams = {
  /** Reports the current streams immediately, then each change. Returns a function that stops the reports. */
  follow(): () => void
  all(): Iterable<Served>
  /** The number of streams that this deployment should derive, but may not because of their levels. */
  denied(): number
}

export type ServedDeps = {
  readonly follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange'>
  readonly decrypterNames: readonly string[]
  /** The levels that this deployment may decrypt. */
  readonly levels: LevelsAllowed
  /** Undefined: the stream is no longer derived here. */
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
  /** Set while the served streams may differ from the records. */
  isUnsettled: boolean
}

function settle(table: Table): void {
  const { tables } = table.deps.follower
  table.isUnsettled = false
  for (const { stream } of table.served.values()) putById(table, stream)
  for (const stream of tables.streams()) if (stream.kind === 'derived') put(table, stream)
}

/** After a change of one record, only the streams with that name are checked. */
function changed(table: Table, topic: string, key?: string): void {
  const { tables, isFresh } = table.deps.follower
  if (topic !== controlTopic) return
  // Tables that are being read again lack existing streams.
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

/** Found by id, because another stream may have the name now. */
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

/** The streams that this deployment may decrypt. `denied`: the topics of streams that it should derive, but may not. */
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

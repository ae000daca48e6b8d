// Which derivers run here: one for each derived stream that is ready and whose decrypter this
// deployment is. Follows control state: new streams start, disabled ones wait, deleted ones leave
// their group. How Kafka spreads partitions over replicas is the group protocol's affair.
import type { Deriver } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import { controlTopic, topicOf } from '@weir/control-state'
import { levelsDenied } from './levels.ts'
import type { LevelsAllowed } from './levels.ts'

export type Derivers = {
  start(): void
  /** How many events each derived topic is behind its input, as far as this replica knows. */
  lags(): Iterable<readonly [topic: string, lag: number]>
  /** How many streams are for this deployment and ask for levels that it may not open. */
  denied(): number
  close(): Promise<void>
}

export type DeriversDeps = {
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange'>
  decrypterNames: readonly string[]
  /** Those that this deployment may open. */
  levels: LevelsAllowed
  /** Makes the deriver of a stream; it is started here. */
  deriver: (stream: DerivedStream, input: InputStream) => Deriver
  log: Log
}

type StreamName = { readonly billingId: string; readonly name: string }
type Served = { readonly stream: DerivedStream; readonly input: InputStream }
type Running = { readonly stream: DerivedStream; readonly deriver: Deriver }

const checkEveryMs = 500

export function createDerivers(deps: DeriversDeps): Derivers {
  const { follower, log } = deps
  const running = createRunning(deps)
  const rights = createRights(deps)
  const settling = createSettling(deps, { running, rights })
  let unsubscribe = (): void => {}
  let checking: NodeJS.Timeout | undefined
  /** Control state is stale: revocations may be missing, so nothing is opened. */
  let areWaiting = false

  const check = (): void => {
    const isFresh = follower.isFresh()
    if (areWaiting === isFresh) {
      areWaiting = !isFresh
      running.unsettle()
      log.warn(isFresh ? 'derivers continue' : 'control state is stale: derivers wait')
      if (!isFresh) for (const { deriver: each } of running.byTopic.values()) each.pause()
    }
    if (isFresh) settling.settleIfNeeded()
  }

  return {
    start() {
      unsubscribe = follower.onChange(settling.onChange)
      checking = setInterval(check, checkEveryMs)
      check()
    },
    *lags() {
      for (const [topic, { deriver: each }] of running.byTopic) yield [topic, each.lag()]
    },
    denied: () => rights.denied.size,
    async close() {
      unsubscribe()
      clearInterval(checking)
      await running.close()
    },
  }
}

type RunningDerivers = ReturnType<typeof createRunning>
type Rights = ReturnType<typeof createRights>

/** The derivers that run, by topic, and whether some stream may not be as its record says. */
function createRunning({ deriver, log }: Pick<DeriversDeps, 'deriver' | 'log'>) {
  const byTopic = new Map<string, Running>()
  const stopping = new Set<Promise<void>>()
  let isUnsettled = true

  const stop = (entry: Running): void => {
    byTopic.delete(topicOf(entry.stream))
    const work = stopQuietly(entry, log).finally(() => stopping.delete(work))
    stopping.add(work)
  }

  return {
    byTopic,
    stop,
    start({ stream, input }: Served): Running {
      const started = { stream, deriver: deriver(stream, input) }
      const topic = topicOf(stream)
      byTopic.set(topic, started)
      started.deriver.start().catch((error: unknown) => {
        log.error({ err: error, stream: topic }, 'a deriver did not start; trying again')
        if (byTopic.get(topic) === started) stop(started)
        isUnsettled = true
      })
      log.info({ stream: topic }, 'deriving')
      return started
    },
    unsettle: () => void (isUnsettled = true),
    /** Says so once. */
    takeUnsettled(): boolean {
      const was = isUnsettled
      isUnsettled = false
      return was
    },
    async close(): Promise<void> {
      for (const entry of byTopic.values()) stop(entry)
      await Promise.all(stopping)
    },
  }
}

const stopQuietly = ({ stream, deriver }: Running, log: Log): Promise<void> =>
  deriver
    .stop()
    .catch((error: unknown) =>
      log.warn({ err: error, stream: topicOf(stream) }, 'a deriver did not stop cleanly'),
    )

/** Which streams this deployment may open, and those that it is to derive and may not, by topic. */
function createRights({ levels, log }: Pick<DeriversDeps, 'levels' | 'log'>) {
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

/** Makes what runs what the records say; only while control state is fresh. */
function createSettling(
  { follower, decrypterNames }: DeriversDeps,
  { running, rights }: { running: RunningDerivers; rights: Rights },
) {
  const { tables } = follower

  /** The derived stream of that name, with its input, if it is to be derived here. */
  const servedStream = ({ billingId, name }: StreamName): Served | undefined => {
    const stream = tables.stream(billingId, name)
    if (stream?.kind !== 'derived' || stream.state !== 'ready') return undefined
    const input = tables.inputOf(stream)
    const isOurs = decrypterNames.includes(stream.decrypterName)
    return input !== undefined && isOurs && rights.mayOpen(stream) ? { stream, input } : undefined
  }

  const settle = (streamName: StreamName): void => {
    const topic = topicOf(streamName)
    if (tables.stream(streamName.billingId, streamName.name)?.state !== 'ready')
      rights.denied.delete(topic)
    const served = servedStream(streamName)
    const before = running.byTopic.get(topic)
    if (before !== undefined && before.stream.streamId !== served?.stream.streamId)
      running.stop(before)
    if (served === undefined) return
    const { deriver: current } = running.byTopic.get(topic) ?? running.start(served)
    if (served.stream.enabled) current.resume()
    else current.pause()
  }

  return {
    settleIfNeeded(): void {
      if (!running.takeUnsettled()) return
      for (const { stream } of running.byTopic.values()) settle(stream)
      for (const stream of tables.streams()) if (stream.kind === 'derived') settle(stream)
    },
    /** One record changed: only the stream of that name is looked at. */
    onChange(topic: string, key?: string): void {
      if (topic !== controlTopic) return
      const [folder, billingId = '', name = ''] = key?.split('/') ?? []
      // Tables that are being read anew lack streams that are there.
      if (!follower.isFresh() || key === undefined) running.unsettle()
      else if (folder === 'stream') settle({ billingId, name })
    },
  }
}

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
  const { follower, decrypterNames, levels, deriver, log } = deps
  const { tables } = follower
  /** By topic. */
  const running = new Map<string, Running>()
  const stopping = new Set<Promise<void>>()
  /** Streams that this deployment is to derive and may not, by topic. */
  const denied = new Set<string>()
  let unsubscribe = (): void => {}
  let checking: NodeJS.Timeout | undefined
  /** Control state is stale: revocations may be missing, so nothing is opened. */
  let areWaiting = false
  /** Some stream may not be as its record says. */
  let isUnsettled = true

  const start = ({ stream, input }: Served): Running => {
    const started = { stream, deriver: deriver(stream, input) }
    const topic = topicOf(stream)
    running.set(topic, started)
    started.deriver.start().catch((error: unknown) => {
      log.error({ err: error, stream: topic }, 'a deriver did not start; trying again')
      if (running.get(topic) === started) stop(started)
      isUnsettled = true
    })
    log.info({ stream: topic }, 'deriving')
    return started
  }

  const stop = ({ stream, deriver: stopped }: Running): void => {
    const topic = topicOf(stream)
    running.delete(topic)
    const work = stopped
      .stop()
      .catch((error: unknown) =>
        log.warn({ err: error, stream: topic }, 'a deriver did not stop cleanly'),
      )
      .finally(() => stopping.delete(work))
    stopping.add(work)
  }

  /** The derived stream of that name, with its input, if it is to be derived here. */
  const servedStream = ({ billingId, name }: StreamName): Served | undefined => {
    const stream = tables.stream(billingId, name)
    if (stream?.kind !== 'derived' || stream.state !== 'ready') return undefined
    const input = tables.inputOf(stream)
    const isOurs = decrypterNames.includes(stream.decrypterName)
    return input !== undefined && isOurs && mayOpen(stream) ? { stream, input } : undefined
  }

  const mayOpen = (stream: DerivedStream): boolean => {
    const topic = topicOf(stream)
    const lacking = levelsDenied(stream, levels)
    if (lacking.length === 0) return true
    if (!denied.has(topic))
      log.error(
        { stream: topic, levels: lacking },
        'a stream asks for levels that this deployment may not open: it is not derived here',
      )
    denied.add(topic)
    return false
  }

  /** Makes what runs under a stream's name what its record says; only while control state is fresh. */
  const settle = (streamName: StreamName): void => {
    const topic = topicOf(streamName)
    if (tables.stream(streamName.billingId, streamName.name)?.state !== 'ready')
      denied.delete(topic)
    const served = servedStream(streamName)
    const before = running.get(topic)
    if (before !== undefined && before.stream.streamId !== served?.stream.streamId) stop(before)
    if (served === undefined) return
    const { deriver: current } = running.get(topic) ?? start(served)
    if (served.stream.enabled) current.resume()
    else current.pause()
  }

  const settleAll = (): void => {
    isUnsettled = false
    for (const { stream } of running.values()) settle(stream)
    for (const stream of tables.streams()) if (stream.kind === 'derived') settle(stream)
  }

  /** One record changed: only the stream of that name is looked at. */
  const onChange = (topic: string, key?: string): void => {
    if (topic !== controlTopic) return
    const [folder, billingId = '', name = ''] = key?.split('/') ?? []
    // Tables that are being read anew lack streams that are there.
    if (!follower.isFresh() || key === undefined) isUnsettled = true
    else if (folder === 'stream') settle({ billingId, name })
  }

  const check = (): void => {
    const isFresh = follower.isFresh()
    if (areWaiting === isFresh) {
      areWaiting = !isFresh
      isUnsettled = true
      log.warn(isFresh ? 'derivers continue' : 'control state is stale: derivers wait')
      if (!isFresh) for (const { deriver: each } of running.values()) each.pause()
    }
    if (isFresh && isUnsettled) settleAll()
  }

  return {
    start() {
      unsubscribe = follower.onChange(onChange)
      checking = setInterval(check, checkEveryMs)
      check()
    },
    *lags() {
      for (const [topic, { deriver: each }] of running) yield [topic, each.lag()]
    },
    denied: () => denied.size,
    async close() {
      unsubscribe()
      clearInterval(checking)
      for (const entry of running.values()) stop(entry)
      await Promise.all(stopping)
    },
  }
}

// A broker that is unreachable for a while under load. Records the response to every event, how often the topic then
// contains the event, and the memory of ingest. Two replicas of ingest share the broker, one for each HTTP/2
// implementation.
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'
import { peakResidentBytes } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { askAdmin, metricOf } from './admin.ts'
import { connect } from './clients.ts'
import type { Client } from './clients.ts'
import { timesStored } from './marks.ts'
import { startOwnScene } from './own-broker.ts'
import type { OwnBroker, OwnScene } from './own-broker.ts'
import { goodRequest } from './scene.ts'

export type Outage = {
  readonly name: string
  readonly lastsMs: number
  begin(broker: OwnBroker): Promise<void>
  end(broker: OwnBroker): Promise<void> | void
}

export type Load = { readonly connections: number; readonly streams: number }

export type Answered = {
  readonly mark: string
  /** The status, or the error if there was no response. */
  readonly outcome: number | string
  readonly sentMs: number
  readonly tookMs: number
}

export type Seen = {
  readonly answered: readonly Answered[]
  /** How often the topic contains each event. */
  readonly timesStored: ReadonlyMap<string, number>
  /** When the broker stopped responding. */
  readonly beganMs: number
  /** When the broker may have started to respond again. */
  readonly endedMs: number
  /** The maximum number of bytes in flight to Kafka during the outage. */
  readonly inFlightBytes: number
  readonly peakBytes: number
  /** The distinct responses of /health/ready once ingest is ready again. */
  readonly health: readonly string[]
}

/** The pause between two events of each HTTP/2 stream. As with producers, the pause is longer after a refusal. */
const pauseMs = 100
const pauseRefusedMs = 500
/** One of this many events is much larger. */
const largeEvery = 20
const largeText = 'r'.repeat(20_000)
const warmUpMs = 2_000
const recoveryMs = 45_000

export type Both<Of> = Readonly<Record<'own' | 'node', Of>>

/** Runs the outages in sequence on one broker. Returns the results by the outage's name. */
export async function watchOutages(
  outages: readonly Outage[],
  loads: Both<Load>,
): Promise<ReadonlyMap<string, Both<Seen>>> {
  const scene = await startOwnScene({ env: { INGEST_HTTP: 'own' } })
  try {
    const node = await scene.world.replica('ingest', { INGEST_HTTP: 'node' })
    // Created before the first outage, because a broker that has just started may be slow to create a topic.
    const target = async (ingest: Service, name: string, load: Load): Promise<Target> => ({
      ...load,
      ingest,
      stream: await scene.account.input(name),
    })
    const ready: [Outage, Both<Target>][] = []
    for (const [index, outage] of outages.entries())
      ready.push([
        outage,
        {
          own: await target(scene.world.ingest, `own-${index}`, loads.own),
          node: await target(node, `node-${index}`, loads.node),
        },
      ])
    const seen = new Map<string, Both<Seen>>()
    for (const [outage, targets] of ready)
      seen.set(outage.name, await watchOutage(scene, outage, targets))
    return seen
  } finally {
    await scene.stop()
  }
}

type Target = Load & { readonly ingest: Service; readonly stream: TestStream }

async function watchOutage(
  scene: OwnScene,
  outage: Outage,
  targets: Both<Target>,
): Promise<Both<Seen>> {
  const running = {
    own: await startLoad(scene, targets.own),
    node: await startLoad(scene, targets.node),
  }
  await delay(warmUpMs)
  await outage.begin(scene.broker)
  const beganMs = performance.now()
  const inFlight = { own: 0, node: 0 }
  const look = async (http: 'own' | 'node'): Promise<void> => {
    const now = await metricOf(targets[http].ingest.adminUrl, 'svc_ingest_in_flight_bytes')
    inFlight[http] = Math.max(inFlight[http], now)
  }
  while (performance.now() - beganMs < outage.lastsMs) {
    await Promise.all([look('own'), look('node'), delay(100)])
  }
  const endedMs = performance.now()
  await outage.end(scene.broker)
  const backMs = performance.now()
  const seen = async (http: 'own' | 'node'): Promise<Seen> => ({
    ...(await running[http].finish(backMs)),
    beganMs,
    endedMs,
    inFlightBytes: inFlight[http],
    peakBytes: await peakResidentBytes(targets[http].ingest.pid),
    health: await healthOf(targets[http].ingest),
  })
  const [own, node] = await Promise.all([seen('own'), seen('node')])
  return { own, node }
}

/**
 * Waits until ingest has been ready for longer than the pause between two refreshes of control state. Before that,
 * ingest may correctly say that it is not ready: events may be accepted before control state is read again, and a
 * refresh that started before the outage may end after it.
 */
async function healthOf({ adminUrl }: Service): Promise<string[]> {
  const ready = async (): Promise<Response> => askAdmin(adminUrl, '/health/ready')
  let looksReady = 0
  const isReady = async (): Promise<boolean> => {
    looksReady = (await ready()).status === 200 ? looksReady + 1 : 0
    return looksReady === 5
  }
  await pollUntil(isReady, {
    deadlineMs: recoveryMs,
    everyMs: 200,
    what: 'ingest being ready again',
  })
  const said = new Set<string>()
  for (let looks = 0; looks < 20; looks += 1) {
    said.add((await (await ready()).text()).trim())
    await delay(200)
  }
  return [...said]
}

async function startLoad(scene: OwnScene, { ingest, stream, connections, streams }: Target) {
  const token = await scene.account.token(stream)
  const answered: Answered[] = []
  const clients: Client[] = []
  let isLoading = true

  const send = async (client: Client, mark: string, isLarge: boolean): Promise<Answered> => {
    const parts = { eventType: mark, ...(isLarge ? { referrer: largeText } : {}) }
    const request = await goodRequest(token, parts)
    const sentMs = performance.now()
    const outcome = await client.send(request).then(({ status }) => status, String)
    return { mark, outcome, sentMs, tookMs: performance.now() - sentMs }
  }
  const work = async (client: Client, worker: string): Promise<void> => {
    for (let index = 0; isLoading; index += 1) {
      const answer = await send(client, `${worker}-${index}`, index % largeEvery === 0)
      answered.push(answer)
      await delay(answer.outcome === 204 ? pauseMs : pauseRefusedMs)
    }
  }

  const workers: Promise<void>[] = []
  for (let connection = 0; connection < connections; connection += 1) {
    const client = await connect['HTTP/2'](ingest.url)
    clients.push(client)
    for (let one = 0; one < streams; one += 1)
      workers.push(work(client, `${stream.name}-${connection}-${one}`))
  }
  return {
    /** Waits for as many accepted events, sent after this time, as there are HTTP/2 streams. */
    async finish(afterMs: number): Promise<Pick<Seen, 'answered' | 'timesStored'>> {
      const accepted = (): number =>
        answered.filter(({ outcome, sentMs }) => outcome === 204 && sentMs > afterMs).length
      const recovered = pollUntil(() => accepted() >= connections * streams, {
        deadlineMs: recoveryMs,
        what: `${stream.name} accepting events again`,
      })
      await recovered.finally(() => (isLoading = false))
      await Promise.all(workers)
      for (const client of clients) client.close()
      return { answered, timesStored: await timesStored(scene.reader, stream.topic) }
    },
  }
}

// A broker that goes away for a while under load: what every event was answered, what the topic holds of each
// afterwards, and what ingest took of memory meanwhile. Two replicas, one for each HTTP/2, share the broker.
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'
import { askAdmin } from './admin.ts'
import { connect } from './clients.ts'
import type { Client } from './clients.ts'
import { timesStored } from './marks.ts'
import { peakResidentBytes } from './memory.ts'
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
  /** A status, or why there was none. */
  readonly outcome: number | string
  readonly sentMs: number
  readonly tookMs: number
}

export type Seen = {
  readonly answered: readonly Answered[]
  /** How often the topic holds each event. */
  readonly timesStored: ReadonlyMap<string, number>
  readonly beganMs: number
  readonly endedMs: number
  readonly peakBytes: number
  /** What /health/ready said since ingest accepted events again, without repetitions. */
  readonly health: readonly string[]
}

/** So many events a second each stream sends at most, and less while it is refused, as producers do. */
const pauseMs = 100
const pauseRefusedMs = 500
/** Some events are much larger than the rest. */
const largeEvery = 20
const largeText = 'r'.repeat(20_000)
const warmUpMs = 2_000
const recoveryMs = 45_000

export async function watchOutage(
  outage: Outage,
  loads: Readonly<Record<'own' | 'node', Load>>,
): Promise<Record<'own' | 'node', Seen>> {
  const scene = await startOwnScene({ env: { INGEST_HTTP: 'own' } })
  try {
    const ingests = {
      own: scene.world.ingest,
      node: await scene.world.replica('ingest', { INGEST_HTTP: 'node' }),
    }
    const running = {
      own: await startLoad(scene, ingests.own, { name: 'own', ...loads.own }),
      node: await startLoad(scene, ingests.node, { name: 'node', ...loads.node }),
    }
    await delay(warmUpMs)
    const beganMs = performance.now()
    await outage.begin(scene.broker)
    await delay(outage.lastsMs)
    await outage.end(scene.broker)
    const endedMs = performance.now()
    const seen = async (http: 'own' | 'node'): Promise<Seen> => ({
      ...(await running[http].finish(endedMs)),
      beganMs,
      endedMs,
      peakBytes: await peakResidentBytes(ingests[http].pid),
      health: await healthOf(ingests[http]),
    })
    const [own, node] = await Promise.all([seen('own'), seen('node')])
    return { own, node }
  } finally {
    await scene.stop()
  }
}

/** For longer than the pause between two looks at control state. */
async function healthOf({ adminUrl }: Service): Promise<string[]> {
  const said = new Set<string>()
  for (let looks = 0; looks < 20; looks += 1) {
    said.add((await (await askAdmin(adminUrl, '/health/ready')).text()).trim())
    await delay(200)
  }
  return [...said]
}

type Named = Load & { readonly name: string }

async function startLoad(scene: OwnScene, ingest: Service, { name, connections, streams }: Named) {
  const stream = await scene.account.input(name)
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
      workers.push(work(client, `${name}-${connection}-${one}`))
  }
  return {
    /** Once so many events as there are streams were accepted that were sent after this time. */
    async finish(afterMs: number): Promise<Pick<Seen, 'answered' | 'timesStored'>> {
      const accepted = (): number =>
        answered.filter(({ outcome, sentMs }) => outcome === 204 && sentMs > afterMs).length
      const recovered = pollUntil(() => accepted() >= connections * streams, {
        deadlineMs: recoveryMs,
        what: `${name} accepting events again`,
      })
      await recovered.finally(() => (isLoading = false))
      await Promise.all(workers)
      for (const client of clients) client.close()
      return { answered, timesStored: await timesStored(scene.reader, stream.topic) }
    },
  }
}

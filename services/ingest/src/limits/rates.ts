// Keeps the rates of all streams with recent requests at this replica, and applies the other ingest replicas' reports
// of each second. No I/O.
import { liveForMs } from '@weir/control-state'
import type { Replica, StreamDemand } from '@weir/control-state'
import { closeSecond, createRate, forgetPeer, hearPeer, takeFromRate } from './rate.ts'
import type { Live, PeerUse, Rate } from './rate.ts'

export type Rates = {
  /** Returns false if the rate is used up. */
  take(streamId: string, eventsASecond: number, nowMs: number): boolean
  /** Returns this replica's share of a stream's rate, which is 1/N before the first request. */
  share(streamId: string): number
  /** Ends this replica's second, and returns its demand for the heartbeat. */
  closeSecond(nowMs: number): Record<string, StreamDemand>
  /** Applies another replica's heartbeat. */
  hear(peer: Replica, nowMs: number): void
  forget(streamId: string): void
}

type Peer = { readonly heartbeat: Replica['beat']; readonly heardMs: number }

/** A stream without demand for this long is removed. */
const idleSecondsMax = 60
/** A heartbeat with this number of streams has 1 MB. Further streams are left out, as if they had no demand here. */
const streamsToldMax = 20_000

type State = {
  readonly rates: Map<string, Rate>
  readonly peers: Map<string, Peer>
  readonly live: Live
  closedMs: number
}

export function createRates(startMs: number): Rates {
  const rates = new Map<string, Rate>()
  const peers = new Map<string, Peer>()
  const live: Live = {
    get replicas() {
      return peers.size + 1
    },
    unheardSince: (ms) => [...peers.values()].filter(({ heardMs }) => heardMs < ms).length,
  }
  const state = { rates, peers, live, closedMs: startMs }
  return {
    take(streamId, eventsASecond, nowMs) {
      let rate = rates.get(streamId)
      if (rate === undefined) {
        const told = { replicas: live.replicas, peers: usesOf(peers, streamId) }
        rate = createRate(eventsASecond, nowMs, told)
        rates.set(streamId, rate)
      }
      return takeFromRate(rate, eventsASecond, nowMs)
    },
    share: (streamId) => rates.get(streamId)?.share ?? 1 / live.replicas,
    closeSecond: (nowMs) => closeSeconds(state, nowMs),
    hear: (peer, nowMs) => hear(state, peer, nowMs),
    forget: (streamId) => void rates.delete(streamId),
  }
}

function forgetReplica({ rates, peers, live }: State, replica: string, nowMs: number): void {
  if (!peers.delete(replica)) return
  for (const rate of rates.values()) forgetPeer(rate, replica, live, nowMs)
}

function closeSeconds(state: State, nowMs: number): Record<string, StreamDemand> {
  const { rates, live } = state
  for (const [replica, { heardMs }] of state.peers)
    if (nowMs - heardMs > liveForMs) forgetReplica(state, replica, nowMs)
  const spanMs = Math.max(1, nowMs - state.closedMs)
  state.closedMs = nowMs
  const told: Record<string, StreamDemand> = {}
  let count = 0
  for (const [streamId, rate] of rates) {
    if (rate.demanded > 0 && count++ < streamsToldMax) told[streamId] = [rate.demanded, rate.taken]
    closeSecond(rate, spanMs, live, nowMs)
    if (rate.idleSeconds > idleSecondsMax) rates.delete(streamId)
  }
  return told
}

function hear(state: State, { id, beat: heartbeat, freshMs }: Replica, nowMs: number): void {
  const { rates, peers, live } = state
  if (heartbeat.leaving !== undefined) return forgetReplica(state, id, nowMs)
  if (nowMs - freshMs > liveForMs) return
  const before = peers.get(id)?.heartbeat.streams ?? {}
  peers.set(id, { heartbeat, heardMs: freshMs })
  for (const streamId in heartbeat.streams) {
    const rate = rates.get(streamId)
    const taken = heartbeat.streams[streamId]?.[1] ?? 0
    if (rate !== undefined)
      hearPeer(rate, id, { use: useIn(heartbeat, streamId), taken }, live, nowMs)
  }
  for (const streamId in before) {
    const rate = heartbeat.streams[streamId] === undefined ? rates.get(streamId) : undefined
    if (rate !== undefined) hearPeer(rate, id, { use: undefined, taken: 0 }, live, nowMs)
  }
}

function* usesOf(peers: ReadonlyMap<string, Peer>, streamId: string) {
  for (const [replica, { heartbeat }] of peers) {
    const use = useIn(heartbeat, streamId)
    if (use !== undefined) yield [replica, use] as const
  }
}

function useIn({ streams, spanMs }: Replica['beat'], streamId: string): PeerUse | undefined {
  const told = streams[streamId]
  if (told === undefined) return undefined
  const seconds = Math.max(1, spanMs) / 1000
  return { demand: told[0] / seconds, taken: told[1] / seconds }
}

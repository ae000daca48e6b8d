// Limits one stream's rate over all replicas of ingest (docs/adr/0022-limits-across-replicas.md), by a token bucket
// with the tokens of one second. Each replica may spend a share. The shares follow the demand of the last second.
// Heartbeats report how many requests other replicas admitted. If wrong shares admitted too many requests, fewer are
// admitted later, so no error is permanent. No I/O.

/** The data that a heartbeat has about one stream. */
export type PeerUse = {
  /** Requests per second that arrived. */
  readonly demand: number
  /** Requests per second that were admitted. */
  readonly taken: number
}

/**
 * A peer is assumed to have spent `assumed` tokens between its last heartbeat and `sinceMs`, and to spend `perMs`
 * tokens per millisecond since then.
 */
type Peer = PeerUse & { perMs: number; sinceMs: number; assumed: number }

/** The replicas of ingest that are alive, including this one. */
export type Live = {
  readonly replicas: number
  /** Returns how many other replicas have sent no heartbeat since this time. */
  unheardSince(ms: number): number
}

export type Rate = {
  /** Events per second. */
  rate: number
  /** This replica's part of the rate, 0 to 1. */
  share: number
  /** The tokens in the bucket of all replicas, as far as this replica knows. A negative level is debt. */
  level: number
  /** The tokens that overflowed the bucket in about the last second. */
  spilled: number
  /** The tokens that this replica may spend. */
  tokens: number
  filledAtMs: number
  /** The growth of `tokens` per millisecond. */
  perMs: number
  /** The tokens per millisecond that the other replicas are assumed to spend. */
  peersPerMs: number
  /** Requests per second, in the last second. */
  demand: number
  demandSinceMs: number
  idleSeconds: number
  /** The requests since the last report. */
  demanded: number
  taken: number
  readonly peers: Map<string, Peer>
}

/** The time in which a replica corrects a difference between its tokens and its share of the bucket. */
const evenOutMs = 1_000
/** A heartbeat within this time after demand starts says little about the peer's demand. */
const tellingMs = 500

/** Creates the rate of a stream without recent demand here. `peers` has the last reports of the other replicas. */
export function createRate(
  rate: number,
  nowMs: number,
  live: { replicas: number; peers: Iterable<readonly [string, PeerUse]> },
): Rate {
  const peers = new Map<string, Peer>()
  for (const [replica, use] of live.peers) peers.set(replica, newPeer(use, nowMs))
  const taken = sumOf(peers, (peer) => peer.taken)
  const level = Math.max(0, rate - taken)
  const share = 1 / live.replicas
  const made: Rate = {
    rate,
    share,
    level,
    spilled: 0,
    tokens: share * level,
    filledAtMs: nowMs,
    perMs: 0,
    peersPerMs: 0,
    demand: 0,
    demandSinceMs: nowMs,
    idleSeconds: 0,
    demanded: 0,
    taken: 0,
    peers,
  }
  balance(made)
  return made
}

/** Returns false if the request must be refused. */
export function takeFromRate(self: Rate, rate: number, nowMs: number): boolean {
  if (rate !== self.rate) changeRate(self, rate)
  fill(self, nowMs)
  if (self.demanded === 0 && self.demand === 0) self.demandSinceMs = nowMs
  self.demanded += 1
  // With a share below one event per second, a replica would never have a whole token. So it borrows the rest once it
  // has its whole share.
  if (self.tokens < 1 && self.tokens < self.share * self.rate) return false
  self.tokens -= 1
  self.level -= 1
  self.taken += 1
  return true
}

/** Ends this replica's second. The demand in this second determines the replica's next share. */
export function closeSecond(self: Rate, spanMs: number, live: Live, nowMs: number): void {
  fill(self, nowMs)
  self.demand = self.demanded / (spanMs / 1000)
  self.idleSeconds = self.demand > 0 ? 0 : self.idleSeconds + 1
  self.demanded = 0
  self.taken = 0
  shareOut(self, live)
}

/** Applies another replica's report of its last second. `use` is undefined if that replica had no demand. */
export function hearPeer(
  self: Rate,
  replica: string,
  heard: { use: PeerUse | undefined; taken: number },
  live: Live,
  nowMs: number,
): void {
  fill(self, nowMs)
  drain(self, heard.taken - assumedOf(self.peers.get(replica), nowMs), live)
  if (heard.use === undefined) self.peers.delete(replica)
  else self.peers.set(replica, newPeer(heard.use, nowMs))
  shareOut(self, live)
}

/** Removes a replica that sends no more heartbeats. */
export function forgetPeer(self: Rate, replica: string, live: Live, nowMs: number): void {
  fill(self, nowMs)
  if (self.peers.delete(replica)) shareOut(self, live)
}

function fill(self: Rate, nowMs: number): void {
  const ms = nowMs - self.filledAtMs
  if (ms <= 0) return
  self.filledAtMs = nowMs
  const { rate, level, peersPerMs } = self
  const gained = (rate / 1000) * ms
  const full = level + gained - peersPerMs * ms
  const over = Math.max(0, full - rate)
  self.level = full - over
  self.spilled = within(0, self.spilled + 2 * over - gained, rate)
  self.tokens = Math.min(self.share * self.rate, self.tokens + self.perMs * ms)
}

const newPeer = (use: PeerUse, nowMs: number): Peer => ({
  ...use,
  perMs: 0,
  sinceMs: nowMs,
  assumed: 0,
})

const assumedOf = (peer: Peer | undefined, nowMs: number): number =>
  peer === undefined ? 0 : peer.assumed + peer.perMs * (nowMs - peer.sinceMs)

/**
 * Subtracts the tokens that another replica spent beyond the assumption. They are first taken from the overflow,
 * because they were spent before the bucket overflowed.
 */
function drain(self: Rate, more: number, live: Live): void {
  const back = within(0, more, self.spilled)
  self.spilled -= back
  const owedMax = Math.max(self.rate, live.replicas)
  self.level = within(-owedMax, self.level + back - more, self.rate)
}

function changeRate(self: Rate, rate: number): void {
  self.rate = rate
  self.level = within(-rate, self.level, rate)
  balance(self)
}

/**
 * Computes this replica's share from the demand. A peer that has sent no heartbeat since demand started here is assumed
 * to have the same demand, because demand probably started there, too. Without any demand the share stays. If only
 * other replicas have demand, the share is 1/N.
 */
function shareOut(self: Rate, live: Live): void {
  const others = sumOf(self.peers, (peer) => peer.demand)
  const { demand } = self
  if (demand > 0)
    self.share =
      demand / (demand * (1 + live.unheardSince(self.demandSinceMs + tellingMs)) + others)
  else if (others > 0) self.share = 1 / live.replicas
  balance(self)
}

/**
 * Computes the growth of the tokens: this replica's share of the rate, plus the difference between its share of the
 * bucket's level and its tokens, spread over a second. The other replicas are assumed to continue as before, but no
 * faster than their own shares permit.
 */
function balance(self: Rate): void {
  const { rate, share, level, peers } = self
  const demand = self.demand + sumOf(peers, (peer) => peer.demand)
  self.peersPerMs = 0
  for (const peer of peers.values()) {
    peer.assumed = assumedOf(peer, self.filledAtMs)
    peer.sinceMs = self.filledAtMs
    peer.perMs = Math.min(peer.taken, (peer.demand / demand) * rate) / 1000
    self.peersPerMs += peer.perMs
  }
  self.tokens = Math.min(self.tokens, share * rate)
  const owed = share * level - self.tokens
  self.perMs = Math.max(0, (share * rate) / 1000 + owed / evenOutMs)
}

const within = (min: number, value: number, max: number): number =>
  Math.min(max, Math.max(min, value))

function sumOf(peers: ReadonlyMap<string, Peer>, part: (peer: Peer) => number): number {
  let sum = 0
  for (const peer of peers.values()) sum += part(peer)
  return sum
}

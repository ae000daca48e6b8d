// One stream's rate over all replicas of ingest (docs/adr/0022-limits-across-replicas.md): a token bucket that holds
// one second's worth, of which each replica spends a share. The shares follow the demand of the last second. Heartbeats
// report what other replicas took, so what a wrong share let through is paid back, and no error is permanent. Pure: no
// clock, no I/O.

/** What a heartbeat reports of one stream. */
export type PeerUse = {
  /** Requests per second that arrived. */
  readonly demand: number
  /** Requests per second that were admitted. */
  readonly taken: number
}

/** Since its last heartbeat, the peer is assumed to spend `perMs`; `assumed` is the sum of that until `sinceMs`. */
type Peer = PeerUse & { perMs: number; sinceMs: number; assumed: number }

/** The replicas of ingest that are alive, this one included. */
export type Live = {
  readonly replicas: number
  /** How many of the others have sent no heartbeat since. */
  unheardSince(ms: number): number
}

export type Rate = {
  /** Events per second. */
  rate: number
  /** This replica's part of the rate, 0 to 1. */
  share: number
  /** What the bucket of all replicas holds, as far as this replica knows; below 0 is debt. */
  level: number
  /** What overflowed the bucket in about the last second. */
  spilled: number
  /** What this replica may spend. */
  tokens: number
  filledAtMs: number
  /** How fast `tokens` grows. */
  perMs: number
  /** How fast the others are assumed to spend. */
  peersPerMs: number
  /** Requests per second, in the last second. */
  demand: number
  /** When the current demand began. */
  demandSinceMs: number
  idleSeconds: number
  /** Since the last report. */
  demanded: number
  taken: number
  readonly peers: Map<string, Peer>
}

/** How long it takes to even out a difference between what a replica holds and what it should hold. */
const evenOutMs = 1_000
/** A heartbeat within this time after demand began says little about the peer's demand. */
const tellingMs = 500

/** The rate of a stream without recent demand here; `peers` is what the others last reported. */
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

/** Admits one request; false if it must be refused. */
export function takeFromRate(self: Rate, rate: number, nowMs: number): boolean {
  if (rate !== self.rate) changeRate(self, rate)
  fill(self, nowMs)
  if (self.demanded === 0 && self.demand === 0) self.demandSinceMs = nowMs
  self.demanded += 1
  // With a share below one event per second no replica would ever hold a whole token, so it borrows one.
  if (self.tokens < 1 && self.tokens < self.share * self.rate) return false
  self.tokens -= 1
  self.level -= 1
  self.taken += 1
  return true
}

/** Ends this replica's second. The demand of that second decides its next share. */
export function closeSecond(self: Rate, spanMs: number, live: Live, nowMs: number): void {
  fill(self, nowMs)
  self.demand = self.demanded / (spanMs / 1000)
  self.idleSeconds = self.demand > 0 ? 0 : self.idleSeconds + 1
  self.demanded = 0
  self.taken = 0
  shareOut(self, live)
}

/** Applies another replica's report of the second that it has closed; `use` is undefined without demand. */
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

/** Removes a replica that sends no heartbeats any more. */
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
 * Applies what another replica took beyond the assumption. It first reduces what overflowed, because it was taken
 * before.
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
 * Shares follow demand. A peer without a heartbeat since the demand began here is assumed to have the same demand,
 * because it is likely to have begun there, too. Without any demand the shares stay.
 * While only others have demand, this replica's share is 1/N.
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
 * Sets the pace: this replica's share of the rate, plus its share of the bucket's content, evened out within a second.
 * The others are assumed to continue as before, but no faster than their own shares allow.
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

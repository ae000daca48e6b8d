// Limits the bytes that requests of many events have in flight to Kafka. Each request and each account has a share. The
// limit of the total leaves room for single events. A request without room waits, and is never refused here.
import { fairShare } from '@weir/kit'

export type BacklogShare = {
  take(bytes: number): void
  /** Must be called with the same bytes as `take`. */
  give(bytes: number): void
  readonly isFull: boolean
  readonly isEmpty: boolean
  /**
   * Resolves when bytes of this share are returned. If this share is not used up, also resolves when there is room
   * again.
   */
  change(): Promise<void>
}

export type Backlog = { open(account: string): BacklogShare }

/** The approximate memory of an event besides its bytes. Counting this also limits the number of events. */
const eventOverheadBytes = 512

/** An account's bytes in flight to Kafka, and the callbacks of its waiting requests. */
type Account = { bytes: number; readonly wakers: Set<() => void> }

type Bounds = { readonly bytesMax: number; readonly shareBytesMax: number }
type State = Bounds & {
  /** The bytes of all accounts. */
  bytes: number
  readonly accounts: Map<string, Account>
  /** The accounts with requests that wait for room. */
  readonly waiting: Set<Account>
}

export function createBacklog(bounds: Bounds): Backlog {
  const all: State = { ...bounds, bytes: 0, accounts: new Map(), waiting: new Set() }
  return {
    open(billingId) {
      const account = all.accounts.get(billingId) ?? { bytes: 0, wakers: new Set() }
      all.accounts.set(billingId, account)
      return openShare(all, account)
    },
  }
}

function openShare(all: State, account: Account): BacklogShare {
  let own = 0
  const wakers = new Set<() => void>()
  const wake = (): void => wakeAll(wakers)
  const add = (bytes: number): void => {
    own += bytes
    account.bytes += bytes
    all.bytes += bytes
  }
  return {
    take: (bytes) => add(bytes + eventOverheadBytes),
    give(bytes) {
      add(-bytes - eventOverheadBytes)
      wake()
      wakeOthers(all)
    },
    get isFull() {
      return own >= all.shareBytesMax || !hasRoom(all, account)
    },
    get isEmpty() {
      return own === 0
    },
    change: () =>
      new Promise((resolve) => {
        wakers.add(resolve)
        if (own >= all.shareBytesMax || hasRoom(all, account)) return
        account.wakers.add(wake)
        all.waiting.add(account)
      }),
  }
}

function hasRoom(all: State, { bytes }: Account): boolean {
  return all.bytes < all.bytesMax && bytes <= fairShare(all.bytesMax, all.bytes - bytes)
}

function wakeOthers(all: State): void {
  for (const account of all.waiting) {
    if (!hasRoom(all, account)) continue
    all.waiting.delete(account)
    wakeAll(account.wakers)
  }
}

function wakeAll(wakers: Set<() => void>): void {
  for (const wake of wakers) wake()
  wakers.clear()
}

// The bytes that all requests of many events have on their way to Kafka. Each request and each account has a share, and
// the total has a bound that leaves room for single events. A request without room waits; none is refused here.
import { fairShare } from '@weir/kit'

export type BacklogShare = {
  take(bytes: number): void
  /** With the same bytes as `take`. */
  give(bytes: number): void
  readonly isFull: boolean
  readonly isEmpty: boolean
  /** Resolves when this share gave bytes back or, if it is full because of others, when it has room again. */
  change(): Promise<void>
}

export type Backlog = { open(account: string): BacklogShare }

/** The memory of an event besides its bytes. It bounds the number of events, too. */
const eventOverheadBytes = 512

export function createBacklog({
  bytesMax,
  shareBytesMax,
}: {
  bytesMax: number
  shareBytesMax: number
}): Backlog {
  let bytesOfAll = 0
  const accounts = new Map<string, Account>()
  /** The accounts with requests that wait for room. */
  const waiting = new Set<Account>()
  const hasRoom = ({ bytes }: Account): boolean =>
    bytesOfAll < bytesMax && bytes <= fairShare(bytesMax, bytesOfAll - bytes)
  const accountOf = (billingId: string): Account => {
    const account = accounts.get(billingId) ?? { bytes: 0, wakers: new Set() }
    accounts.set(billingId, account)
    return account
  }

  const open = (billingId: string): BacklogShare => {
    const account = accountOf(billingId)
    let own = 0
    const wakers = new Set<() => void>()
    const wake = (): void => wakeAll(wakers)
    const add = (bytes: number): void => {
      own += bytes
      account.bytes += bytes
      bytesOfAll += bytes
    }
    return {
      take: (bytes) => add(bytes + eventOverheadBytes),
      give(bytes) {
        add(-bytes - eventOverheadBytes)
        wake()
        for (const other of waiting) {
          if (!hasRoom(other)) continue
          waiting.delete(other)
          wakeAll(other.wakers)
        }
      },
      get isFull() {
        return own >= shareBytesMax || !hasRoom(account)
      },
      get isEmpty() {
        return own === 0
      },
      change: () =>
        new Promise((resolve) => {
          wakers.add(resolve)
          if (own >= shareBytesMax || hasRoom(account)) return
          account.wakers.add(wake)
          waiting.add(account)
        }),
    }
  }
  return { open }
}

/** An account's bytes on their way to Kafka, and the callbacks of its waiting requests. */
type Account = { bytes: number; readonly wakers: Set<() => void> }

function wakeAll(wakers: Set<() => void>): void {
  for (const wake of wakers) wake()
  wakers.clear()
}

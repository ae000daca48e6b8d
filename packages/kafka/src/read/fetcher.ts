// Reads partitions from given offsets on, for all users of one handle, without a group. Needs three connections per
// broker for any number of partitions. Never skips records: if records can't be read any more, the reader gets a report
// and decides where to continue. Nothing is fetched for a paused reader, so it doesn't delay other readers.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { openFetches } from './fetches.ts'
import type { Fetches } from './fetches.ts'
import { newReader } from './fetch-reader.ts'
import type { FollowTarget, Reader, Sink } from './fetch-reader.ts'

export type Following = {
  /** Stops fetching. The rest of a response that is being delivered may still arrive. */
  pause(): void
  resume(): void
  /** Continues at `from`, also after `onLost`. */
  seek(from: bigint): void
  /** After this no callback is called. */
  close(): void
}

export type Fetcher = {
  follow(target: FollowTarget, sink: Sink): Following
}

const fetchers = new WeakMap<Kafka, Fetcher>()

/** Returns the handle's only fetcher. The fetcher uses connections only while partitions are followed. */
export function createFetcher(kafka: Kafka): Fetcher {
  const known = fetchers.get(kafka) ?? makeFetcher(kafka)
  fetchers.set(kafka, known)
  return known
}

function makeFetcher(kafka: Kafka): Fetcher {
  let fetches: Fetches | undefined
  let users = 0

  function leave(): void {
    users -= 1
    if (users > 0) return
    fetches?.close()
    fetches = undefined
  }

  return {
    follow(target, sink) {
      fetches ??= openFetches(internalsOf(kafka), kafka)
      users += 1
      return followBy(fetches, newReader(target, sink), leave)
    },
  }
}

function followBy(fetches: Fetches, reader: Reader, leave: () => void): Following {
  fetches.start(reader)

  function stopAs(state: Reader['state']): void {
    fetches.stop(reader)
    reader.state = state
  }

  function startAnew(): void {
    reader.life += 1
    reader.state = 'reading'
    fetches.start(reader)
  }

  return {
    pause() {
      if (reader.state === 'reading') stopAs('paused')
    },
    resume() {
      if (reader.state === 'paused') startAnew()
    },
    seek(from) {
      if (reader.state === 'closed') return
      const isPaused = reader.state === 'paused'
      stopAs('paused')
      reader.at = from
      reader.lastEpoch = -1
      reader.life += 1
      if (!isPaused) startAnew()
    },
    close() {
      if (reader.state === 'closed') return
      stopAs('closed')
      reader.life += 1
      leave()
    },
  }
}

// Readers of the outputs with `decryptAt: reader`, with Weir's driver: one at each permanent replica of output. They
// decrypt the same events repeatedly, and events of erased people more often. The driver keeps keys as long as it may.
import { createDecrypter, ReadError } from '@weir/client'
import type { Decrypter } from '@weir/client'
import { delay, pollUntil, withTimeout } from '@weir/kit'
import { asObject, textIn } from '@weir/testkit'
import type { Account, Credentials } from '@weir/testkit'

import type { Readings } from '../check/readings.ts'
import type { TorturePeople } from '../people.ts'
import type { Random } from '../random.ts'
import type { TestOutput, TortureStreams } from '../streams.ts'
import type { Fleet } from '../world/fleet.ts'
import { slotsOf } from '../world/slots.ts'
import type { Slot } from '../world/slots.ts'
import { createShelf } from './shelf.ts'
import type { ShelvedEvent, Shelf, ShelfDeps } from './shelf.ts'

export type ReadersDeps = ShelfDeps & {
  readonly people: Pick<TorturePeople, 'all'>
  readonly random: Random
  readonly fleet: Pick<Fleet, 'find'>
  readonly streams: Pick<TortureStreams, 'derived'>
  readonly readings: Readings
  account(): Account
}

export type RunningReaders = {
  stop(): Promise<void>
  /** Decrypts every event of the outputs with `decryptAt: reader` once more. */
  readAll(): Promise<void>
}

const everyMs = 500
const giveUpAfterMs = 5_000
const readAllWithinMs = 120_000
const eventsAtOnce = 1_000
/** How many events a round decrypts: `ofEach` is for each person of the last `removed` erasures and withdrawals. */
const round = { newest: 40, others: 60, removed: 8, ofEach: 8 }

export function startReaders(deps: ReadersDeps): RunningReaders {
  const credentials = createCredentials(deps)
  let isRunning = true
  const run = async (slot: Slot): Promise<void> => {
    const reader = createReader(deps, slot, credentials)
    const stock = createStock(deps)
    for (; isRunning; await delay(everyMs))
      for (const output of stock.outputs()) {
        const shelf = stock.shelfOf(output)
        // During a storm, each step may fail.
        await shelf.refill().catch(() => undefined)
        await reader(output, chosen(deps, shelf)).catch(() => undefined)
      }
  }
  const running = Promise.all(slotsOf('output').slice(0, 2).map(run))
  return {
    async stop() {
      isRunning = false
      await running
    },
    async readAll() {
      const reader = createReader(deps, 'output-1', credentials)
      const stock = createStock(deps)
      for (const output of stock.outputs()) {
        const shelf = stock.shelfOf(output)
        await shelf.refill()
        await readWhole(shelf.all(), (events) => reader(output, events), output.name)
      }
    },
  }
}

/** Decrypts the events in parts, because the services' proxies run in this process and must not wait for long. */
async function readWhole(
  events: readonly ShelvedEvent[],
  read: (some: readonly ShelvedEvent[]) => Promise<boolean>,
  name: string,
): Promise<void> {
  let reason: unknown
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    const some = events.slice(from, from + eventsAtOnce)
    const isRead = () => read(some).catch((error: unknown) => void (reason = error))
    const what = `decrypting ${name} from event ${from} on`
    await pollUntil(isRead, { deadlineMs: readAllWithinMs, everyMs, what }).catch(
      (cause: unknown) => {
        throw new Error(`${String(cause)}; the last try: ${String(reason)}`, { cause })
      },
    )
  }
}

function createStock(deps: ReadersDeps) {
  const shelves = new Map<TestOutput, Shelf>()
  return {
    outputs: () => deps.streams.derived().filter(({ levels }) => levels.decryptAt === 'reader'),
    shelfOf(output: TestOutput): Shelf {
      const shelf = shelves.get(output) ?? createShelf(deps, output)
      shelves.set(output, shelf)
      return shelf
    },
  }
}

function chosen({ people, random }: ReadersDeps, shelf: Shelf): ShelvedEvent[] {
  const all = shelf.all()
  if (all.length === 0) return []
  const lastRemoved = people.all().slice(-round.removed)
  return [
    ...all.slice(-round.newest),
    ...Array.from({ length: round.others }, () => random.pick(all)),
    ...lastRemoved.flatMap(({ person }) => shelf.of(person).slice(-round.ofEach)),
  ]
}

type Reader = (output: TestOutput, events: readonly ShelvedEvent[]) => Promise<boolean>

/** Creates a reader that keeps its decrypter, and so its keys, until addresses or credentials change. */
function createReader(
  { fleet, readings, account }: ReadersDeps,
  slot: Slot,
  credentials: KnownCredentials,
): Reader {
  let made: { readonly by: string; readonly decrypter: Decrypter } | undefined
  return async (output, events) => {
    const { billingId } = account()
    const [authUrl, outputUrl] = [fleet.find('auth-1')?.url, fleet.find(slot)?.url]
    if (authUrl === undefined || outputUrl === undefined) return false
    const own = await credentials.of(output)
    const options = { authUrl, outputUrl, billingId, ...own }
    const by = JSON.stringify(options)
    if (made?.by !== by) made = { by, decrypter: createDecrypter(options) }
    const atMs = Date.now()
    try {
      const decrypting = made.decrypter.decrypt(events)
      decrypting.catch(() => undefined) // a rejection after the time-out is ignored
      const plains = await withTimeout(decrypting, giveUpAfterMs, 'decrypting')
      for (const [nth, { sent }] of events.entries())
        readings.add({ output, event: sent, atMs, plain: asObject(plains[nth]) })
      return true
    } catch (error) {
      if (error instanceof ReadError && error.code === 'refused') credentials.forget(output)
      throw error
    }
  }
}

type KnownCredentials = {
  of(output: TestOutput): Promise<Credentials>
  /** Call when the credentials were refused, because the stream was created again, or comes from a backup. */
  forget(output: TestOutput): void
}

function createCredentials({ account }: Pick<ReadersDeps, 'account'>): KnownCredentials {
  const known = new Map<string, Credentials>()
  const refused = new Map<string, Credentials>()
  return {
    forget({ name }) {
      const last = known.get(name)
      if (last !== undefined) refused.set(name, last)
      known.delete(name)
    },
    async of({ name, input }) {
      const own = known.get(name)
      if (own !== undefined) return own
      const path = `/v2/streams/${input.name}/outputs/${name}/credentials`
      const last = refused.get(name)
      if (last !== undefined) await account().call('DELETE', `${path}/${last.clientId}`)
      const { body } = await account().call('POST', path, {})
      const made = {
        clientId: textIn(body, 'clientId'),
        clientSecret: textIn(body, 'clientSecret'),
      }
      known.set(name, made)
      return made
    },
  }
}

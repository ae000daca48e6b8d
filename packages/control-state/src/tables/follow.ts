// Control state as every service sees it (docs/architecture.md 1): `weir.control` and `weir.keys`,
// followed from their start into plain tables. Read-only; nothing is cached that could go stale
// unnoticed.
import { followTopics, kafkaTrouble } from '@weir/kafka'
import type { Follower, Kafka } from '@weir/kafka'
import type { KekProvider } from '@weir/fieldcrypt'
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import { createUnread } from '../forms/unread.ts'
import type { KeyStore } from './draft.ts'
import { checkKeyRecord } from '../keyring/key-records.ts'
import { createKeyring } from '../keyring/keyring.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { parseControlRecord } from '../records/control-forms.ts'
import { controlTopic, keysTopic } from '../records/records.ts'
import { createTables } from './tables.ts'
import type { Tables } from './tables.ts'
import { ControlStateError } from '../errors.ts'

/** The header that names the change a record belongs to. */
export const changeHeader = 'weir-change'

/** Ids of own changes whose records may still come by. */
export type ChangeLog = {
  expect(id: string): string
  has(id: string): boolean
  forget(id: string): void
}

export type StateFollower = {
  readonly tables: Tables
  readonly keyring: Keyring
  readonly keyStore: KeyStore
  readonly changes: ChangeLog
  /**
   * Resolves when both topics were read to their ends, nothing in them that can't be read, and the rings are unwrapped.
   * Closed before that, it never does: a service that is told to stop while it starts stops, and doesn't fail.
   */
  start(): Promise<void>
  /** Resolves when everything committed before the call is in the tables. @throws ControlStateError `control-state.unavailable` */
  catchUp(): Promise<void>
  /** `catchUp` for look-ups that missed: shared by concurrent callers, at most ten times a second. */
  refresh(): Promise<void>
  /** False when revocations may be missing: nothing may be accepted or opened then. */
  isFresh(): boolean
  /** False while something was read that this replica doesn't understand. */
  isWhole(): boolean
  /** How far control state is read: the next offset of each topic. */
  positions(): { control: bigint; keys: bigint }
  /** Why this part isn't ready; empty when it is. */
  notReady(): string[]
  /** Called after each record with its topic and key, and with no key when the tables start over. */
  onChange(listener: (topic: string, key?: string) => void): () => void
  close(): Promise<void>
}

const refreshEveryMs = 100
const never = new Promise<never>(() => {})

export function followState(options: {
  kafka: Kafka
  service: string
  kek: KekProvider
  mayUseRing: (ring: string) => boolean
  log: Log
}): StateFollower {
  const { kafka, service, log } = options
  const tables = createTables()
  const keyring = createKeyring({ kek: options.kek, log, mayUse: options.mayUseRing })
  const expected = new Map<string, boolean>()
  const listeners = new Set<(topic: string, key?: string) => void>()
  const unread = createUnread(log)
  let started = false
  let closed = false
  let nextLook: Promise<void> | undefined
  let lastLookMs = -refreshEveryMs

  const take = (topic: string, key: string, value: Buffer | null): void => {
    if (topic === controlTopic)
      return tables.apply(key, value === null ? null : parseControlRecord(key, value))
    try {
      if (value !== null) checkKeyRecord(key, value)
    } catch (error) {
      keyring.apply(key, null) // what it replaces is good no more
      throw error
    }
    keyring.apply(key, value)
  }

  const follower: Follower = followTopics(kafka, {
    topics: [controlTopic, keysTopic],
    groupPrefix: `weir.table.${service}`,
    onRecord({ topic, key, value, headers }) {
      const change = headers[changeHeader]?.toString()
      if (change !== undefined && expected.has(change)) expected.set(change, true)
      if (topic === keysTopic || isOfUse(key, service))
        unread.note(topic, key, () => take(topic, key, value))
      for (const listener of listeners) listener(topic, key)
    },
    onReset() {
      tables.clear()
      keyring.clear()
      unread.clear()
      for (const listener of listeners) listener(controlTopic)
      // Half-read tables may hold credentials that a later record takes away.
      if (started) void readAgain()
    },
  })

  const lookOnce = async (): Promise<void> => {
    await delay(lastLookMs + refreshEveryMs - performance.now())
    lastLookMs = performance.now()
    nextLook = undefined // whoever calls from here on may ask for something newer
    await catchUp()
  }

  const readAgain = async (): Promise<void> => {
    started = false
    while (!started && !closed) await readToEnd().catch(() => delay(500))
  }

  const catchUp = async (): Promise<void> => {
    await follower.catchUp()
    if (!unread.isEmpty()) throw notWhole(unread.sentences())
  }

  const readToEnd = async (): Promise<void> => {
    await catchUp()
    await keyring.ringsSettled()
    started = true
  }

  return {
    tables,
    keyring,
    keyStore: keyring,
    changes: {
      expect: (id) => (expected.set(id, false), id),
      has: (id) => expected.get(id) === true,
      forget: (id) => void expected.delete(id),
    },
    async start() {
      try {
        await follower.start()
        await readAgain()
        if (!started) await never
      } catch (error) {
        if (!closed) throw error
        await never
      }
    },
    catchUp,
    refresh: () => (nextLook ??= lookOnce()),
    isFresh: () => started && follower.isFresh() && unread.isEmpty(),
    isWhole: unread.isEmpty,
    positions: () => ({
      control: follower.position(controlTopic),
      keys: follower.position(keysTopic),
    }),
    notReady() {
      const reasons = keyring.pendingRings().map((ring) => `${ring} is not unwrapped`)
      if (!unread.isEmpty()) return [...reasons, ...unread.sentences()]
      if (!started) reasons.push('control state is not read to its end yet')
      else if (!follower.isFresh()) reasons.push('control state was not read for 10 s')
      return reasons.length === 0 ? [] : [...reasons, ...kafkaTrouble(kafka)]
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      keyring.close()
      await follower.close()
    },
  }
}

/** Erasures may be many, and only auth has to do with them once the trees have changed. */
const isOfUse = (key: string, service: string): boolean =>
  service === 'auth' || !(key.startsWith('erasure/') || key.startsWith('key-use/'))

const notWhole = (sentences: readonly string[]): ControlStateError<'control-state.unavailable'> =>
  new ControlStateError(
    'control-state.unavailable',
    'Control state can not be read as a whole now; try again later',
    {
      cause: new Error(sentences.join('; ')),
    },
  )

// Streams in the form of control state, and a follower without Kafka, whose records the test puts.
import { randomUUID } from 'node:crypto'
import { createLog } from '@weir/kit'
import { createTables } from '@weir/control-state'
import type { Credential, DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import { asObject } from '@weir/testkit'

const common = (name: string) => ({
  type: 'stream' as const,
  billingId: 'acme',
  name,
  streamId: randomUUID(),
  state: 'ready' as const,
  stateSinceMs: 1,
  enabled: true,
  tags: [],
  credentials: [],
  partitions: 3,
  createdAtMs: 1,
})

export const inputStream = (more: Partial<InputStream> = {}): InputStream => ({
  ...common('clicks'),
  kind: 'input',
  limits: { eventRate: '1', eventCount: '1' },
  rotationHours: 24,
  keyRetentionDays: 365,
  ...more,
})

export const derivedStream = (
  input: InputStream,
  more: Partial<DerivedStream> = {},
): DerivedStream => ({
  ...common('clicks-0'),
  kind: 'derived',
  linkedStream: input.name,
  linkedStreamId: input.streamId,
  consentLevels: [0],
  consentLevelType: 'CUMULATIVE',
  decrypterName: 'default',
  from: 'now',
  startOffsets: ['0', '0', '0'],
  ...more,
})

export const credentialOf = (scope: Credential['scope'] = ['send', 'listen']): Credential => ({
  clientId: randomUUID(),
  secretHash: '00',
  scope,
  createdAtMs: 1,
})

type Apply = ReturnType<typeof createTables>['apply']

/** Like a follower of control state: each put record reaches the listeners. */
export function followerOf() {
  const { apply, clear, ...tables } = createTables()
  const listeners = new Set<(topic: string, key?: string) => void>()
  const tell = (key?: string): void => {
    for (const listener of listeners) listener('weir.control', key)
  }
  let fresh = true
  const follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange' | 'refresh'> = {
    tables,
    isFresh: () => fresh,
    refresh: async () => {},
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    follower,
    setFresh: (is: boolean) => void (fresh = is),
    put(key: string, record: Parameters<Apply>[1]): void {
      apply(key, record)
      tell(key)
    },
    putStream(stream: InputStream | DerivedStream): void {
      apply(`stream/${stream.billingId}/${stream.name}`, stream)
      tell(`stream/${stream.billingId}/${stream.name}`)
    },
    removeStream(stream: InputStream | DerivedStream): void {
      apply(`stream/${stream.billingId}/${stream.name}`, null)
      tell(`stream/${stream.billingId}/${stream.name}`)
    },
    startOver(): void {
      clear()
      tell()
    },
  }
}

export function keptLog() {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => void lines.push(asObject(JSON.parse(line)))
  return { lines, log: createLog('output-test', 'info', { write }) }
}

// What readers of outputs with `decryptAt: reader` could decrypt, and when. After an erasure is applied, no reader can
// decrypt a value of the person, not even with keys that it got before.
import { Encrypted } from '@weir/client'

import { piiOf, plainValueAt } from '../events.ts'
import type { Plain } from '../events.ts'
import type { Sent } from '../ledger.ts'
import type { TorturePeople } from '../people.ts'
import { opens } from '../streams.ts'
import type { TestOutput } from '../streams.ts'
import type { Violations } from './violations.ts'

export type DecryptedEvent = {
  readonly output: Pick<TestOutput, 'name' | 'levels'>
  readonly event: Sent
  /** Just before the reader began to decrypt. */
  readonly atMs: number
  readonly plain: Plain
}

export type Readings = {
  add(reading: DecryptedEvent): void
  /** Call once it is known when each erasure was applied. */
  check(people: Pick<TorturePeople, 'fateOf'>): void
  count(): number
}

type OfEvent = Pick<DecryptedEvent, 'output' | 'event'> & {
  /** By path: when the value was decrypted last. */
  readonly openedMs: Map<string, number>
  /** By path: the reason of the last failure to decrypt the value. */
  readonly closed: Map<string, string>
}

export function createReadings(violations: Pick<Violations, 'add'>): Readings {
  const known = new Map<string, OfEvent>()
  let count = 0
  return {
    count: () => count,
    add(reading) {
      const { output, event } = reading
      const name = `${output.name} ${event.number}`
      const ofEvent = known.get(name) ?? { output, event, openedMs: new Map(), closed: new Map() }
      known.set(name, ofEvent)
      count += 1
      take(violations, reading, ofEvent)
    },
    check(people) {
      for (const ofEvent of known.values()) checkEvent(violations, people, ofEvent)
    },
  }
}

function take(
  violations: Pick<Violations, 'add'>,
  reading: DecryptedEvent,
  ofEvent: OfEvent,
): void {
  const { output, event, atMs, plain } = reading
  const pii = piiOf(event)
  for (const [path, level] of event.kind.levels) {
    const value = pii.get(path)
    if (typeof value !== 'string') continue
    const seen = plainValueAt(plain, path)
    if (seen instanceof Encrypted) {
      ofEvent.closed.set(path, seen.reason)
      continue
    }
    const where = placeOf(ofEvent, path)
    if (seen !== value) violations.add('changed', where, 'a reader decrypted another value')
    if (!opens(output.levels, level))
      violations.add('decrypted-too-much', where, `a reader decrypted level ${level}`)
    ofEvent.openedMs.set(path, Math.max(atMs, ofEvent.openedMs.get(path) ?? 0))
  }
}

function checkEvent(
  violations: Pick<Violations, 'add'>,
  people: Pick<TorturePeople, 'fateOf'>,
  ofEvent: OfEvent,
): void {
  const { output, event, openedMs, closed } = ofEvent
  const { levels } = output.levels
  for (const [path, level] of event.kind.levels) {
    const lastMs = openedMs.get(path)
    const then = people.fateOf(event, lastMs ?? 0)
    const isGone = then.closed(level) === 'yes' || levels.some((one) => then.gone.has(one))
    if (lastMs !== undefined && isGone)
      violations.add(
        'decrypted-too-much',
        placeOf(ofEvent, path),
        `a reader decrypted it at ${new Date(lastMs).toISOString()}, after its removal was applied`,
      )
    const { mayBeGone, closed: closedNow } = people.fateOf(event, Infinity)
    const mustOpen = closedNow(level) === 'no' && !levels.some((one) => mayBeGone.has(one))
    if (closed.has(path) && opens(output.levels, level) && mustOpen)
      violations.add(
        'not-decrypted',
        placeOf(ofEvent, path),
        `a reader got no key: ${closed.get(path)}`,
      )
  }
}

const placeOf = ({ output, event }: OfEvent, path: string): string =>
  `${output.name}, event ${event.number}, ${path}`

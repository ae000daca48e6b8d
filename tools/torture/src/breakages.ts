// Bugs that are put into the services on purpose, to show that the checks find them. `preload/break.ts` replaces lines
// of a service's sources when the service loads them. Each replaced text must occur exactly once, so that no breakage
// silently changes nothing.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FaultKind } from './faults/plan.ts'

export const breakageNames = [
  'acks-1',
  'acks-0',
  'resend',
  'level-off-by-one',
  'no-fence',
  'no-marker',
  'renumbered',
  'noted-only',
  'aborted-counts',
  'no-barrier',
  'create-time',
  'wrong-topic',
  'forgets-withdrawn',
  'hears-late',
  'undoes-erasures',
  'keys-outlast',
  'misses-erasures',
  'destroyed-early',
] as const
export type BreakageName = (typeof breakageNames)[number]

export type Rewrite = { readonly file: string; readonly from: string; readonly to: string }

export const breakages: Readonly<Record<BreakageName, readonly Rewrite[]>> = {
  // Ingest returns 204 when the leader has the event, without waiting for the followers. Only a run with several
  // brokers finds this bug.
  'acks-1': [
    {
      file: 'packages/kafka/src/protocol/produce-wire.ts',
      from: '.appendInt16(ALL_IN_SYNC_REPLICAS)',
      to: '.appendInt16(-ALL_IN_SYNC_REPLICAS)',
    },
  ],
  // Ingest returns 204 when the event is written to the socket.
  'acks-0': [
    {
      file: 'packages/kafka/src/produce/requests.ts',
      from: '    const answered = await produceOn(connection, version, { timeoutMs, batches })\n',
      to: `    void produceOn(connection, version, { timeoutMs, batches }).catch(() => undefined)
    const stored = { errorCode: 0, baseOffset: 0n }
    const answers = new Map(batches.map((batch) => [batchPlaceOf(batch, version), stored]))
    const answered = { answers, throttleTimeMs: 0 }\n`,
    },
  ],
  // A batch whose response was lost is sent again with other sequence numbers.
  resend: [
    {
      file: 'packages/kafka/src/produce/delivery.ts',
      from: '  } catch (cause) {\n    places.forget(batch.topic)\n',
      to: `  } catch (cause) {
    startOver(batch)
    parts.renumber?.(batch)
    places.forget(batch.topic)\n`,
    },
  ],
  'level-off-by-one': [
    {
      file: 'packages/control-state/src/tables/holding-outputs.ts',
      from: 'return level <= (consentLevels[0] ?? -1)',
      to: 'return level <= (consentLevels[0] ?? -1) + 1',
    },
  ],
  // Each owner gets its own transactional id, so the former owner isn't fenced.
  'no-fence': [
    {
      file: 'packages/kafka/src/fence/acquire.ts',
      from: '    acquire: (acquiring) => acquire(deps, acquiring),\n',
      to: `    acquire: (acquiring) => acquire(deps, {
      ...acquiring, transactionalId: acquiring.transactionalId + '.' + performance.now() }),\n`,
    },
    {
      file: 'packages/kafka/src/fence/acquire.ts',
      from: 'isNewIdentity: isNew(known, fence)',
      to: 'isNewIdentity: false',
    },
  ],
  // Output acquires a partition without the fence's marker, and reads the position up to the end of the log. Only a run
  // with several brokers can have partitions without a leader.
  'no-marker': [
    {
      file: 'packages/kafka/src/fence/acquire.ts',
      from: '  if (markers.length < logs.length) return undefined\n',
      to: '  if (markers.length < logs.length) markers.splice(0, Infinity, ...ends.map((end) => end ?? 0n))\n',
    },
  ],
  // A derived batch whose response was lost is sent again with the next sequence numbers.
  renumbered: [
    {
      file: 'packages/kafka/src/produce/delivery.ts',
      from: '  } catch (cause) {\n    places.forget(batch.topic)\n',
      to: `  } catch (cause) {
    const { producer, records } = batch
    if ('identity' in batch && producer !== undefined && batch.isDoubtful) {
      startOver(batch)
      batch.producer = { ...producer, sequence: producer.sequence + records.length }
    }
    places.forget(batch.topic)\n`,
    },
  ],
  // Output continues at the noted position, and ignores the sources in the two logs.
  'noted-only': [
    {
      file: 'services/output/src/derive/find-next.ts',
      from: '    const candidates = [derived, dead].flatMap((source) =>',
      to: '    const candidates = [derived, dead].slice(2).flatMap((source) =>',
    },
  ],
  // Records of aborted or open transactions count in the search for the position.
  'aborted-counts': [
    {
      file: 'packages/kafka/src/read/log-search.ts',
      from: 'found !== undefined && (!isTransactional || isCommitted.get(producerId) === true)',
      to: 'found !== undefined',
    },
  ],
  // A dead letter is sent while earlier and later events, delayed by 200 ms, are in flight.
  'no-barrier': [
    {
      file: 'services/output/src/derive/flow/take.ts',
      from: `  if (gathered.passed > 0 || stream.pending.length > 0) {
    stream.hold = 'draining'
    return false
  }\n`,
      to: '  if (gathered.passed > 0) return false\n',
    },
    {
      file: 'services/output/src/derive/flow/take.ts',
      from: "  if (counted.dead.length > 0) stream.hold ??= 'draining'\n  else if",
      to: '  if',
    },
    {
      file: 'services/output/src/derive/flow/take.ts',
      from: '  lane?.append(records).then(\n',
      to: `  const waitMs = pending.dead.length > 0 ? 0 : 200
  new Promise((done) => setTimeout(done, waitMs)).then(() => lane?.append(records)).then(\n`,
    },
  ],
  // Withdrawals are ignored: the consent in the event counts, also in a rebuild.
  'forgets-withdrawn': [
    {
      file: 'services/output/src/derive/derive.ts',
      from: "  if (keys === 'never' || keys === 'erased' || !keys.hasWithdrawn) return sent\n",
      to: '  if (keys !== undefined) return sent\n',
    },
  ],
  // A replica reports that it has followed an erasure, while values that it decrypted earlier are still being stored.
  // Storing takes 3 s.
  'hears-late': [
    {
      file: 'services/output/src/derive/openings.ts',
      from: '      open.add(opening)\n',
      to: '',
    },
    {
      file: 'services/output/src/derive/flow/take.ts',
      from: '  lane?.append(records).then(\n',
      to: '  new Promise((done) => setTimeout(done, 3_000)).then(() => lane?.append(records)).then(\n',
    },
  ],
  // A restore does not apply the erasures since the backup.
  'undoes-erasures': [
    {
      file: 'services/auth/src/control/restore/reapply.ts',
      from: '    await applyAll(deps, entries)\n',
      to: '',
    },
  ],
  // An erasure is applied while readers still have keys that they may use.
  'keys-outlast': [
    {
      file: 'services/auth/src/control/erasure/erasure-states.ts',
      from: 'erasure.heardAtMs ?? now()) > now()',
      to: 'erasure.heardAtMs ?? now()) > Infinity',
    },
  ],
  // Output reports that it has followed an erasure, but keeps the old key tree.
  'misses-erasures': [
    {
      file: 'packages/control-state/src/keyring/keyring.ts',
      from: '      if (kept !== undefined) lru.remove(kept)\n',
      to: "      if (kept !== undefined && process.env['OUTPUT_PORT'] === undefined) lru.remove(kept)\n",
    },
  ],
  // The KEKs of replaced key records count as destroyed, although they exist.
  'destroyed-early': [
    {
      file: 'services/auth/src/control/keys/rotation/destroyed.ts',
      from: '      if (await isAnyAtHand(keksOf(deps, erasure), isAtHand)) continue\n',
      to: '',
    },
  ],
  // For 300 ms out of 3 s, each batch of a request gets into the topic of another batch.
  'wrong-topic': [
    {
      file: 'packages/kafka/src/protocol/produce-wire.ts',
      from: '      .appendArray(byTopic(batches, version), (',
      to: `      .appendArray(byTopic(performance.now() % 3_000 > 300 ? batches : batches.map((batch, at) => (
        { ...batch, packed: batches.at(at - 1)?.packed ?? batch.packed })), version), (`,
    },
  ],
  // Records of derived topics have their writer's timestamp.
  'create-time': [
    {
      file: 'services/auth/src/control/streams/topic-pins.ts',
      from: "'message.timestamp.type': 'LogAppendTime'",
      to: "'message.timestamp.type': 'CreateTime'",
    },
  ],
}

export const isBreakage = (name: string): name is BreakageName =>
  breakageNames.some((known) => known === name)

/** The only faults to inject with a breakage. With all kinds, too few faults in five minutes may show the bug. */
export const tellingFaults: Readonly<Partial<Record<BreakageName, readonly FaultKind[]>>> = {
  'no-fence': ['pause', 'late-write', 'one-more'],
  'no-barrier': ['corrupt', 'kill'],
  resend: ['response-lost', 'cut'],
  'aborted-counts': ['open-transaction', 'kill'],
  'forgets-withdrawn': ['withdraw', 'rebuild'],
  'hears-late': ['erase', 'withdraw'],
  'undoes-erasures': ['erase', 'withdraw', 'rebuild', 'restore'],
  'keys-outlast': ['erase', 'withdraw'],
  'misses-erasures': ['erase', 'withdraw', 'rebuild'],
  'destroyed-early': ['erase', 'rotate'],
}

/** Returns true for a breakage that shows only if one broker fails while others continue. */
export const needsThree = (name: string): boolean => name === 'acks-1' || name === 'no-marker'

/** Throws unless the text occurs exactly once. */
export function rewrite(source: string, { file, from, to }: Rewrite): string {
  const [before, after, ...more] = source.split(from)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the breakage does not fit ${file} any more: ${from.trim()}`)
  return before + to + after
}

const REPOSITORY = join(import.meta.dirname, '../../..')

export async function expectToFit(name: BreakageName): Promise<void> {
  for (const one of breakages[name])
    rewrite(await readFile(join(REPOSITORY, one.file), 'utf8'), one)
}

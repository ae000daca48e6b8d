// Faults put into the services on purpose, to see that the checks find them: lines of their sources that are
// replaced as they are loaded (preload/break.ts). What has to be replaced must be there, once: a breakage that
// breaks nothing any more would prove nothing.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const breakageNames = [
  'acks-1',
  'acks-0',
  'resend',
  'level-off-by-one',
  'no-fence',
  'renumbered',
  'noted-only',
  'aborted-counts',
  'no-barrier',
  'create-time',
  'forgets-withdrawn',
  'hears-late',
] as const
export type BreakageName = (typeof breakageNames)[number]

export type Rewrite = { readonly file: string; readonly from: string; readonly to: string }

export const breakages: Readonly<Record<BreakageName, readonly Rewrite[]>> = {
  // 204 once the leader has the event, whether or not its followers have. Needs several brokers to be found.
  'acks-1': [
    {
      file: 'packages/kafka/src/protocol/produce-wire.ts',
      from: '.appendInt16(ALL_IN_SYNC_REPLICAS)',
      to: '.appendInt16(-ALL_IN_SYNC_REPLICAS)',
    },
  ],
  // 204 once the event is written to the socket.
  'acks-0': [
    {
      file: 'packages/kafka/src/produce/requests.ts',
      from: '    const answered = await produceOn(connection, version, { timeoutMs, batches })\n',
      to: `    void produceOn(connection, version, { timeoutMs, batches }).catch(() => undefined)
    const stored = { errorCode: 0, baseOffset: 0n }
    const answers = new Map(batches.map((batch) => [placeOf(batch, version), stored]))
    const answered = { answers, throttleTimeMs: 0 }\n`,
    },
  ],
  // A batch whose answer was lost goes out again under other numbers.
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
  // Each owner has an identity of its own, so that the former one isn't refused.
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
  // A derived batch whose answer was lost goes out again under the next numbers.
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
  // What lies in the logs is not asked how far they are.
  'noted-only': [
    {
      file: 'services/output/src/derive/find-next.ts',
      from: '    const candidates = [derived, dead].flatMap((source) =>',
      to: '    const candidates = [derived, dead].slice(2).flatMap((source) =>',
    },
  ],
  // Records of transactions that were aborted, or aren't ended, say how far the logs are.
  'aborted-counts': [
    {
      file: 'packages/kafka/src/read/log-search.ts',
      from: 'found !== undefined && (!isTransactional || isCommitted.get(producerId) === true)',
      to: 'found !== undefined',
    },
  ],
  // A dead letter goes out while events before and after it are on their way, which takes them a little longer.
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
  // What people have taken back is not asked for, as by a rebuild that goes by the consent that was sent.
  'forgets-withdrawn': [
    {
      file: 'services/output/src/derive/derive.ts',
      from: "  if (keys === 'never' || keys === 'erased' || !keys.hasWithdrawn) return sent\n",
      to: '  if (keys !== undefined) return sent\n',
    },
  ],
  // A replica says that it has heard of an erasure, and doesn't wait until what it decrypted before is stored, which takes 3 s.
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
  // Records of derived topics have the time that their writer gives them.
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

/** Whether it shows only where one broker may fail and the others continue. */
export const needsThree = (name: string): boolean => name === 'acks-1'

/** Throws when the text isn't there exactly once. */
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

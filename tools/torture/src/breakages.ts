// Faults put into the services on purpose, to see that the checks find them: lines of their sources that are
// replaced as they are loaded (preload/break.ts). What has to be replaced must be there, once: a breakage that
// breaks nothing any more would prove nothing.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const breakageNames = [
  'acks-1',
  'acks-0',
  'resend',
  'loose-offsets',
  'level-off-by-one',
] as const
export type BreakageName = (typeof breakageNames)[number]

export type Rewrite = { readonly file: string; readonly from: string; readonly to: string }

export const breakages: Readonly<Record<BreakageName, readonly Rewrite[]>> = {
  // 204 once the leader has the event, whether or not its followers have. Needs several brokers to be found.
  'acks-1': [
    {
      file: 'packages/kafka/src/protocol/produce-wire.ts',
      from: 'at = frame.writeInt16BE(ALL_IN_SYNC_REPLICAS, at)',
      to: 'at = frame.writeInt16BE(-ALL_IN_SYNC_REPLICAS, at)',
    },
  ],
  // 204 once the event is written to the socket.
  'acks-0': [
    {
      file: 'packages/kafka/src/protocol/produce-wire.ts',
      from: 'at = frame.writeInt16BE(ALL_IN_SYNC_REPLICAS, at)',
      to: 'at = frame.writeInt16BE(0 * ALL_IN_SYNC_REPLICAS, at)',
    },
    {
      file: 'packages/kafka/src/produce/requests.ts',
      from: `    const { answers, throttleMs } = readProduceAnswers(await connection.request(frame))
    connection.throttle.note(throttleMs)
    pace.answered(frame.length, throttleMs)
    handOut(group, answers)`,
      to: `    void connection.request(frame).then(readProduceAnswers).catch(() => undefined)
    handOut(group, batches.map(({ topic, partition }) => ({ topic, partition, errorCode: 0, baseOffset: 0n })))`,
    },
  ],
  // A batch whose answer was lost goes out again.
  resend: [
    {
      file: 'packages/kafka/src/produce/delivery.ts',
      from: `    if (hasCode(cause, 'kafka.not_sent')) return { kind: 'refused', cause }
    leaders.forget(batch.topic)
    return { kind: 'unknown', cause }`,
      to: `    leaders.forget(batch.topic)
    return { kind: 'refused', cause }`,
    },
  ],
  // The group's offset is committed before, in a transaction of its own.
  'loose-offsets': [
    {
      file: 'packages/kafka/src/derive/derived-partition.ts',
      from: '      await transactor.transaction(async (transaction) => {\n',
      to: `      await transactor.transaction((first) => first.sendOffsets({
        groupId: options.groupId, topic: options.inputTopic, offsets: new Map([[partition, next]]) }))
      await transactor.transaction(async (transaction) => {\n`,
    },
    {
      file: 'packages/kafka/src/derive/derived-partition.ts',
      from: '          transaction.sendOffsets({ groupId, topic, offsets }),\n',
      to: '',
    },
  ],
  'level-off-by-one': [
    {
      file: 'packages/control-state/src/records/holding-outputs.ts',
      from: 'return level <= (consentLevels[0] ?? -1)',
      to: 'return level <= (consentLevels[0] ?? -1) + 1',
    },
  ],
}

export const isBreakage = (name: string): name is BreakageName =>
  breakageNames.some((known) => known === name)

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

// What brokers say of topics of one partition each: where their logs begin and end, and whether they are still there.
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { earliestOffsets, endOffsets, isGone } from '../admin/topic-calls.ts'
import { firstReadable } from './committed-range.ts'
import type { Ends } from './end-watch.ts'

export type Logs = {
  readonly earliest: ReadonlyMap<string, bigint>
  readonly end: ReadonlyMap<string, bigint>
}

export type AskTopics = {
  /** As a read_committed reader sees them. */
  ends(): Promise<Ends>
  /** As they lie on the disk. */
  logs(): Promise<Logs>
  isAnyGone(): Promise<boolean>
  /** The first offset from there on that a reader is given anything of. */
  firstReadable(topic: string, from: bigint, to: bigint): Promise<bigint>
}

export function askTopics(calls: Pick<BrokerCalls, 'run'>, topics: readonly string[]): AskTopics {
  async function askEach(ask: (topic: string) => Promise<bigint[]>): Promise<Map<string, bigint>> {
    const answers = topics.map(async (topic) => [topic, (await ask(topic))[0] ?? 0n] as const)
    return new Map(await Promise.all(answers))
  }
  return {
    // A broker that was away has been asked in vain before: what counts is the last try.
    ends: () =>
      calls.run('read offsets', async (cluster) => ({
        askedMs: Date.now(),
        offsets: await askEach((topic) => endOffsets(cluster, topic, 'read_committed')),
      })),
    logs: () =>
      calls.run('read offsets', async (cluster) => ({
        earliest: await askEach((topic) => earliestOffsets(cluster, topic)),
        end: await askEach((topic) => endOffsets(cluster, topic, 'read_uncommitted')),
      })),
    isAnyGone: () =>
      calls.run('describe a topic', async (cluster) => {
        const gone = await Promise.all(topics.map((topic) => isGone(cluster, topic)))
        return gone.includes(true)
      }),
    firstReadable: (topic, from, to) =>
      calls.run('read on', (cluster) => firstReadable(cluster, { topic, partition: 0, from, to })),
  }
}

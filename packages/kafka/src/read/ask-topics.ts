// Asks brokers where the logs of single-partition topics begin and end.
import type { BrokerCalls } from '../connect/broker-calls.ts'
import { earliestOffsets, endOffsets } from '../connect/topic-calls.ts'
import type { Ends } from './end-watch.ts'

export type AskTopics = {
  /** The ends for a read_committed reader. */
  ends(): Promise<Ends>
  starts(): Promise<ReadonlyMap<string, bigint>>
}

export function askTopics(calls: Pick<BrokerCalls, 'run'>, topics: readonly string[]): AskTopics {
  async function askEach(ask: (topic: string) => Promise<bigint[]>): Promise<Map<string, bigint>> {
    const answers = topics.map(async (topic) => [topic, (await ask(topic))[0] ?? 0n] as const)
    return new Map(await Promise.all(answers))
  }
  return {
    // Each attempt sets `askedMs`, because only the time of the last attempt counts.
    ends: () =>
      calls.run('read offsets', async (brokers) => ({
        askedMs: Date.now(),
        offsets: await askEach((topic) => endOffsets(brokers, topic, 'read_committed')),
      })),
    starts: () =>
      calls.run('read offsets', (brokers) => askEach((topic) => earliestOffsets(brokers, topic))),
  }
}

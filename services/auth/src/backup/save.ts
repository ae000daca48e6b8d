// Reads topics to their current ends. `weir.control` comes first, because a key without its stream is harmless, but a
// stream without its key is not.
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { erasuresTopic } from '@weir/control-state'
import { requireKnown } from './known.ts'
import { backupLineOf, endLine, headLine, savedTopics } from './lines.ts'

type SaveDeps = {
  offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  reader: Pick<RangeReader, 'read'>
  say(line: string): void
  now(): number
}

/** `erasures`: a copy of `weir.erasures` alone, which is small. */
export async function* savedLines(
  deps: SaveDeps,
  kind: 'backup' | 'erasures',
): AsyncGenerator<string> {
  let count = 0
  yield `${headLine(kind, deps.now())}\n`
  for (const topic of kind === 'erasures' ? [erasuresTopic] : savedTopics) {
    let ofTopic = 0
    for await (const record of topicRecords(deps, topic)) {
      requireKnown(topic, record.key, record.value)
      yield `${backupLineOf(topic, record)}\n`
      ofTopic += 1
    }
    count += ofTopic
    deps.say(`${topic}: ${ofTopic} records`)
  }
  yield `${endLine(count)}\n`
}

/** Fetches in steps, because a topic may not fit into memory. */
export async function* topicRecords(
  { offsets, reader }: Pick<SaveDeps, 'offsets' | 'reader'>,
  topic: string,
): AsyncGenerator<SourceRecord> {
  const firsts = await offsets.earliest(topic)
  const ends = await offsets.ends(topic, { isolation: 'read_committed' })
  for (const [partition, to] of ends.entries()) {
    for (let from = firsts[partition] ?? 0n; ;) {
      let fetched: readonly SourceRecord[] = []
      await reader.read({ topic, partition, from, to }, async (records) => {
        fetched = records
        return records.length === 0
      })
      yield* fetched
      const last = fetched.at(-1)
      if (last === undefined) break
      from = last.offset + 1n
    }
  }
}

/**
 * Resolves when the operating system has accepted every byte; the stream stays open. A process that ends earlier loses
 * what is still in the buffer of a pipe.
 */
export async function writeAll(lines: AsyncIterable<string>, to: Writable): Promise<void> {
  await pipeline(lines, to, { end: false })
  await new Promise<void>((resolve, reject) => {
    to.write('', (error) => (error ? reject(error) : resolve()))
  })
}

// Reads weir.control, weir.keys and weir.audit to their current ends. Control state goes first, because a key without
// its stream is harmless, but a stream without its key is not.
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { auditTopic, controlTopic, keysTopic } from '@weir/control-state'
import { requireKnown } from './known.ts'
import { endLine, HEAD, backupLineOf } from './lines.ts'

type SaveDeps = {
  offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  reader: Pick<RangeReader, 'read'>
  say(line: string): void
}

export async function* savedLines(deps: SaveDeps): AsyncGenerator<string> {
  let count = 0
  yield `${HEAD}\n`
  for (const topic of [controlTopic, keysTopic, auditTopic]) {
    let ofTopic = 0
    for await (const record of recordsOf(deps, topic)) {
      requireKnown(topic, record.key, record.value)
      yield `${backupLineOf(topic, record)}\n`
      ofTopic += 1
    }
    count += ofTopic
    deps.say(`${topic}: ${ofTopic} records`)
  }
  yield `${endLine(count)}\n`
}

/** Yields one fetch after the other, because the audit log is kept forever, and may not fit into memory. */
async function* recordsOf(
  { offsets, reader }: SaveDeps,
  topic: string,
): AsyncGenerator<SourceRecord> {
  const [first = 0n] = await offsets.earliest(topic)
  const [to = 0n] = await offsets.ends(topic, { isolation: 'read_committed' })
  for (let from = first; ;) {
    let fetched: readonly SourceRecord[] = []
    await reader.read({ topic, partition: 0, from, to }, async (records) => {
      fetched = records
      return records.length === 0
    })
    yield* fetched
    const last = fetched.at(-1)
    if (last === undefined) return
    from = last.offset + 1n
  }
}

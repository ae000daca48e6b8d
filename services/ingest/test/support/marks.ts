// Counts how often a topic contains each event. The field eventType identifies an event.
import { compiledExample, plainEvent, textIn } from '@weir/testkit'
import type { TopicReader } from '@weir/testkit'

export async function timesStored(
  reader: Pick<TopicReader, 'read'>,
  topic: string,
): Promise<ReadonlyMap<string, number>> {
  const contract = await compiledExample('clickstream')
  const times = new Map<string, number>()
  for (const record of await reader.read(topic)) {
    const mark = textIn(plainEvent(contract, record), 'eventType')
    times.set(mark, (times.get(mark) ?? 0) + 1)
  }
  return times
}

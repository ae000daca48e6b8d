// Puts batches into produce requests and hands each batch the answer of its own partition. A connection has one
// request out at a time, as a broker works off one at a time: what becomes ready meanwhile shares the next one, and as
// long as it waits here, for that or because the broker has put us off, it is certain that it wasn't sent.
// A batch holds nothing of this file but its connection: with a closure for each batch the collector took a third of
// ingest's time.

import type { Connection } from './connection.ts'
import type { Batch } from './lane.ts'
import type { Pace } from './pace.ts'
import { whenOver } from './throttle.ts'
import { encodeProduce, readProduceAnswers } from '../protocol/produce-wire.ts'
import type { ProduceAnswer } from '../protocol/produce-wire.ts'
import { KafkaError } from '../errors.ts'

export type ProduceRequests = {
  /**
   * Rejects with KafkaError `kafka.not_sent` when it is certain that the batch was never written; else the answer never came,
   * and nobody knows whether the batch is stored.
   */
  send(connection: Connection, batch: Batch): Promise<ProduceAnswer>
  /** Nobody waits for it any more: it leaves the line, or its connection ends, as every later batch would wait for it. */
  giveUp(batch: Batch): void
}

type Outgoing = {
  readonly batch: Batch
  resolve(answer: ProduceAnswer): void
  reject(error: unknown): void
}

export function createProduceRequests(batchesPerRequestMax: number, pace: Pace): ProduceRequests {
  const lines = new Map<Connection, Outgoing[]>()

  async function workOff(connection: Connection, line: Outgoing[]): Promise<void> {
    // Those that leave in the same turn of the event loop share a request.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (line.length > 0) {
      await whenOver(connection.throttle)
      if (!connection.isOpen()) for (const { reject } of line.splice(0)) reject(notSent())
      const group = takeGroup(line, { batches: batchesPerRequestMax, bytes: pace.bytesMax() })
      if (group.length > 0) await sendAll(connection, group, pace)
    }
    lines.delete(connection)
  }

  return {
    send: (connection, batch) =>
      new Promise((resolve, reject) => {
        const line = lines.get(connection) ?? []
        line.push({ batch, resolve, reject })
        if (lines.has(connection)) return
        lines.set(connection, line)
        void workOff(connection, line)
      }),
    giveUp(batch) {
      batch.connection?.drop('the broker did not answer in time')
      for (const line of lines.values()) {
        const index = line.findIndex((outgoing) => outgoing.batch === batch)
        if (index >= 0) for (const { reject } of line.splice(index, 1)) reject(notSent())
      }
    },
  }
}

/** The first in line, of a bounded size together, the partitions of a topic next to each other. */
function takeGroup(line: Outgoing[], max: { batches: number; bytes: number }): Outgoing[] {
  let count = 0
  for (let bytes = 0; count < line.length && count < max.batches; count++) {
    bytes += line[count]?.batch.bytes ?? 0
    if (count > 0 && bytes > max.bytes) break
  }
  const group = line.splice(0, count)
  return group.sort((a, b) => (a.batch.topic < b.batch.topic ? -1 : 1))
}

async function sendAll(
  connection: Connection,
  group: readonly Outgoing[],
  pace: Pace,
): Promise<void> {
  const batches = group.map(({ batch }) => batch)
  for (const batch of batches) batch.connection = connection
  try {
    const frame = encodeProduce({
      clientId: connection.clientId,
      timeoutMs: replicationTimeoutMs(batches),
      batches,
    })
    const { answers, throttleMs } = readProduceAnswers(await connection.request(frame))
    connection.throttle.note(throttleMs)
    pace.answered(frame.length, throttleMs)
    handOut(group, answers)
  } catch (error) {
    for (const { reject } of group) reject(error)
  } finally {
    for (const batch of batches) batch.connection = undefined
  }
}

function handOut(group: readonly Outgoing[], answers: readonly ProduceAnswer[]): void {
  const byPartition = new Map(answers.map((answer) => [nameOf(answer), answer]))
  for (const { batch, resolve, reject } of group) {
    const answer = byPartition.get(nameOf(batch))
    if (answer) resolve(answer)
    else reject(new KafkaError('kafka.malformed', 'the broker did not answer for that partition'))
  }
}

function nameOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`
}

// The broker gives up first, so that a partition with a slow replica gets an answer of its own and doesn't
// cost the other partitions of that broker their connection.
function replicationTimeoutMs(batches: readonly Batch[]): number {
  let lastDeadlineMs = 0
  for (const { records } of batches) {
    lastDeadlineMs = Math.max(lastDeadlineMs, records.at(-1)?.deadlineMs ?? 0)
  }
  return Math.max(1, Math.floor((lastDeadlineMs - performance.now()) * 0.8))
}

const notSent = (): KafkaError<'kafka.not_sent'> =>
  new KafkaError('kafka.not_sent', 'the batch was not sent')

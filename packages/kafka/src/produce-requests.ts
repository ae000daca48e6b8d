// Puts batches into produce requests and hands each batch the answer of its own partition. The batches that
// leave in the same turn of the event loop for the same broker share a request: a broker takes the requests of
// a connection one after the other, so fewer of them cost both sides less.
import { AppError } from '@weir/kit'

import type { Connection } from './produce-connection.ts'
import type { Batch } from './produce-lane.ts'
import { encodeProduce, readProduceAnswers } from './produce-wire.ts'
import type { ProduceAnswer } from './produce-wire.ts'

/** Rejects when the answer never came: then nobody knows whether the batch is stored. */
export type ProduceRequests = (connection: Connection, batch: Batch) => Promise<ProduceAnswer>

type Outgoing = {
  readonly batch: Batch
  resolve(answer: ProduceAnswer): void
  reject(error: unknown): void
}

const REQUEST_BYTES_MAX = 4_000_000

export function createProduceRequests(batchesPerRequestMax: number): ProduceRequests {
  const collecting = new Map<Connection, Outgoing[]>()

  function collect(connection: Connection, outgoing: Outgoing): void {
    const group = collecting.get(connection)
    if (group) {
      group.push(outgoing)
      return
    }
    collecting.set(connection, [outgoing])
    process.nextTick(() => {
      const all = collecting.get(connection) ?? []
      collecting.delete(connection)
      for (const part of split(all, batchesPerRequestMax)) void send(connection, part)
    })
  }

  return (connection, batch) =>
    new Promise((resolve, reject) => {
      batch.connection = connection
      const outgoing = { batch, resolve, reject }
      if (batchesPerRequestMax === 1) void send(connection, [outgoing])
      else collect(connection, outgoing)
    })
}

async function send(connection: Connection, group: readonly Outgoing[]): Promise<void> {
  try {
    const batches = group.map(({ batch }) => batch)
    const frame = encodeProduce({
      clientId: connection.clientId,
      timeoutMs: replicationTimeoutMs(batches),
      batches,
    })
    const payload = await connection.request(frame)
    handOut(group, readProduceAnswers(payload))
  } catch (error) {
    for (const { reject } of group) reject(error)
  } finally {
    for (const { batch } of group) batch.connection = undefined
  }
}

function handOut(group: readonly Outgoing[], answers: readonly ProduceAnswer[]): void {
  const byPartition = new Map(answers.map((answer) => [nameOf(answer), answer]))
  for (const { batch, resolve, reject } of group) {
    const answer = byPartition.get(nameOf(batch))
    if (answer) resolve(answer)
    else reject(new AppError('malformed', 'the broker did not answer for that partition'))
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

/** Into requests of a bounded size, the partitions of a topic next to each other. */
function split(all: Outgoing[], countMax: number): Outgoing[][] {
  all.sort((a, b) => (a.batch.topic < b.batch.topic ? -1 : 1))
  const parts: Outgoing[][] = []
  let part: Outgoing[] = []
  let bytes = 0
  for (const outgoing of all) {
    bytes += outgoing.batch.bytes
    if (part.length === 0 || part.length === countMax || bytes > REQUEST_BYTES_MAX) {
      part = []
      parts.push(part)
      bytes = outgoing.batch.bytes
    }
    part.push(outgoing)
  }
  return parts
}

// Compares the model of a broker (tools/model) with a real broker. Two writers randomly send fences and batches,
// including late and repeated ones. The broker responds like the model, and contains the same records in the end.
import { expect, test } from '@jest/globals'
import { addPartitionsToTxnV3, endTxnV3, initProducerIdV4 } from '@platformatic/kafka'

import { append, numbersFrom, emptyBroker, nextEpoch, withMarkers } from '@weir/model'
import type { ModelAnswer, Broker } from '@weir/model'

import { newTransactionalId, refusal } from '../cluster.ts'
import type { Place } from '../cluster.ts'
import { batchOf, produce, readLog } from '../log.ts'
import { useSharedBroker } from '../../shared-broker.ts'
import { fence } from '../transactions.ts'
import type { Identity } from '../transactions.ts'

const { cluster, topics } = useSharedBroker()

const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

const answers: Readonly<Record<string, ModelAnswer>> = {
  INVALID_PRODUCER_EPOCH: 'fenced',
  OUT_OF_ORDER_SEQUENCE_NUMBER: 'out of order',
}

type Writer = { owner: Identity; sent: number }

/** Returns the actions of two writers, each on a real broker and on its model. */
async function start() {
  const id = newTransactionalId()
  const names = [await topics.make('derived'), await topics.make('dead')] as const
  const places = names.map((topic): Place => ({ topic, partition: 0 }))
  const { owner } = await fence(cluster, id, places)
  let model: Broker = fenced(emptyBroker)
  const ends = [1n, 1n]
  const writers: Writer[] = [
    { owner, sent: 0 },
    { owner, sent: 0 },
  ]
  let source = 0
  /** Kafka's first epoch is 0, the model's first epoch is 1. */
  const modelled = ({ epoch }: Identity): number => epoch + 1

  async function takeOver(writer: Writer): Promise<[unknown, unknown]> {
    const { owner: taken } = await fence(cluster, id, places)
    model = fenced(model)
    ends.forEach((end, at) => (ends[at] = end + 1n))
    Object.assign(writer, { owner: taken, sent: 0 })
    return [modelled(taken), model.epoch]
  }

  /** Tries to fence as a former owner, with its own identity. */
  async function renewLate({ owner: own }: Writer): Promise<[unknown, unknown]> {
    if (nextEpoch(model, modelled(own)) !== undefined) return ['not late', 'not late']
    const coordinator = await cluster.coordinator('transaction', id)
    const asked = { transactionalId: id, producerId: own.id, producerEpoch: own.epoch }
    const topic = { name: names[0], partitions: [0] }
    const renewed = await refusal(
      initProducerIdV4.api.async(coordinator, id, 10_000, own.id, own.epoch),
    )
    const added = await refusal(
      addPartitionsToTxnV3.api.async(coordinator, [
        { ...asked, verifyOnly: false, topics: [topic] },
      ]),
    )
    const ended = await refusal(endTxnV3.api.async(coordinator, id, own.id, own.epoch, false))
    const isRefused = [renewed, added, ended].every((error) => /FENCED|EPOCH/.test(error))
    return [isRefused, withMarkers(model, modelled(own), undefined) === undefined]
  }

  async function write(writer: Writer, at: 0 | 1, sequence: number): Promise<[unknown, unknown]> {
    const { owner: own } = writer
    const place = places[at]
    if (place === undefined) throw new Error('there are two logs')
    const batch = { log: at, epoch: modelled(own), sequence, source: source++, isOpen: false }
    const appended = append(model, batch)
    model = appended.broker
    const produced = await produce(
      cluster,
      place,
      batchOf([String(batch.source)], { producer: own, sequence }),
    )
    const isNew = produced.error === 'NONE' && produced.offset === ends[at]
    if (isNew) ends[at] = produced.offset + 1n
    const stored = isNew ? 'stored' : 'repeated'
    return [produced.error === 'NONE' ? stored : answers[produced.error], appended.answer]
  }

  const expected = (at: 0 | 1): number[] =>
    model.logs[at].entries.flatMap((entry) => ('source' in entry ? [entry.source] : []))
  const found = async (at: 0 | 1): Promise<number[]> => {
    const place = places[at]
    const log = place === undefined ? [] : await readLog(cluster, place)
    return log.flatMap(({ values }) => values.map(Number))
  }
  const next = ({ owner: own }: Writer, at: 0 | 1): number =>
    model.logs[at].epoch === modelled(own) ? model.logs[at].next : 0
  return { writers, takeOver, renewLate, write, next, expected, found }
}

function fenced(broker: Broker): Broker {
  const first = nextEpoch(broker)
  const marked = first && withMarkers(first, first.epoch, undefined)
  const last = marked && nextEpoch(marked, marked.epoch)
  if (last === undefined) throw new Error('a fence of the newest epoch is never refused')
  return last
}

/** Kafka compares a repeated batch with the producer's last five batches. */
const KEPT = 5

test.each([1, 2, 3, ...(isFull ? Array.from({ length: 47 }, (_, at) => at + 4) : [])])(
  'the broker answers as its model, seed %i',
  async (seed) => {
    const random = numbersFrom(seed)
    const pick = <T>(items: readonly [T, ...T[]]): T =>
      items[Math.floor(random() * items.length)] ?? items[0]
    const run = await start()
    const seen = new Set<unknown>()
    for (let count = 0; count < 60; count += 1) {
      const writer = run.writers[random() < 0.5 ? 0 : 1]
      if (writer === undefined) throw new Error('there are two writers')
      const at = pick([0, 1] as const)
      const next = run.next(writer, at)
      const sequence = pick([
        next,
        next,
        next,
        Math.max(0, next - 1 - Math.floor(random() * KEPT)),
        next + 1,
      ])
      const act = random()
      const [real, wanted] =
        act < 0.1
          ? await run.takeOver(writer)
          : act < 0.2
            ? await run.renewLate(writer)
            : await run.write(writer, at, sequence)
      expect(real).toEqual(wanted)
      seen.add(real)
    }
    expect([await run.found(0), await run.found(1)]).toEqual([run.expected(0), run.expected(1)])
    expect([...seen]).toEqual(
      expect.arrayContaining(['stored', 'repeated', 'fenced', 'out of order']),
    )
  },
  120_000,
)

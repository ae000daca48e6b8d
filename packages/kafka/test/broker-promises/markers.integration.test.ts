// Shows why a fence waits until the leaders have the logs. Sends a leader the coordinator's request at the end of a
// transaction (WriteTxnMarkers), with a partition that doesn't exist.
import { expect, test } from '@jest/globals'
import { createAPI, Writer } from '@platformatic/kafka'
import type { Connection } from '@platformatic/kafka'

import { withTimeout } from '@weir/kit'

import { BROKERS } from '../support.ts'
import { connectTo } from './cluster.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { initProducerId } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

type Marker = { readonly producerId: bigint; readonly topic: string }

const WRITE_TXN_MARKERS = 27
const ABORT = false

/** Requests an abort marker of each producer in partition 0 of the producer's topic. */
const writeMarkers = createAPI<[readonly Marker[]], string>(
  WRITE_TXN_MARKERS,
  1,
  (markers: readonly Marker[]) =>
    Writer.create()
      .appendArray([...markers], (w, { producerId, topic }) => {
        w.appendInt64(producerId)
          .appendInt16(0)
          .appendBoolean(ABORT)
          .appendArray([topic], (inner, name) => {
            inner.appendString(name).appendArray([0], (one, at) => one.appendInt32(at), true, false)
          })
          .appendInt32(0)
      })
      .appendTaggedFields(),
  () => 'answered',
)

const UNKNOWN = 'never-was'
const SILENCE_MS = 10_000

/** Returns whether the broker responds to a request for a marker in each of these topics. */
async function ask(wanted: readonly string[]): Promise<string> {
  const connection: Connection = await connectTo(BROKERS[0] ?? '', 'coordinator')
  const markers = await Promise.all(
    wanted.map(async (topic) => ({ topic, producerId: (await initProducerId(cluster, null)).id })),
  )
  const answer = writeMarkers.async(connection, markers)
  const said = await withTimeout(answer, SILENCE_MS, 'markers').catch(() => 'no answer')
  await connection.close()
  return said
}

test('a request for markers is answered if its partitions are there, or none of them is', async () => {
  const topic = await topics.make('there')
  expect(await ask([topic, topic])).toBe('answered')
  expect(await ask([UNKNOWN])).toBe('answered')
})

// A coordinator retries only after its time-out of 30 s, and ends no transaction on this broker before that.
test('a request for markers is never answered if one is written and a later one has no partition', async () => {
  const topic = await topics.make('there')
  expect(await ask([topic, UNKNOWN])).toBe('no answer')
})

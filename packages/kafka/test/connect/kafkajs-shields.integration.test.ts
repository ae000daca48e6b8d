import { afterEach, expect, test } from '@jest/globals'

import { internalsOf } from '../../src/connect/internals.ts'
import { NO_RETRIES } from '../../src/connect/retries.ts'
import { connect, plainKafka, uniqueName } from '../support.ts'

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

test('requests ask for no timer with a negative delay', async () => {
  // Given
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.name)
  process.on('warning', note)
  cleanUps.push(async () => void process.off('warning', note))
  const cluster = internalsOf(connect()).cluster({ retries: NO_RETRIES })
  cleanUps.push(() => cluster.disconnect())

  // When
  await cluster.connect()
  await cluster.refreshMetadata()
  await new Promise((resolve) => setImmediate(resolve))

  // Then
  expect(warnings).not.toContain('TimeoutNegativeWarning')
})

test('a client that knows no topic asks for the metadata of none', async () => {
  // Given
  const topic = uniqueName('shield')
  const admin = plainKafka().admin()
  await admin.connect()
  cleanUps.push(() => admin.disconnect())
  await admin.createTopics({ topics: [{ topic }] })
  cleanUps.push(() => admin.deleteTopics({ topics: [topic] }))
  const cluster = internalsOf(connect()).cluster({ retries: NO_RETRIES })
  cleanUps.push(() => cluster.disconnect())

  // When
  await cluster.connect()
  await cluster.refreshMetadata()

  // Then
  expect(cluster.brokerPool.metadata?.topicMetadata).toEqual([])
  expect(cluster.brokerPool.metadata?.brokers).not.toEqual([])
})

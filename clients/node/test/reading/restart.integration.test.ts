// Reading while a broker restarts. The test starts its own broker.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startStack } from '@weir/devstack'
import type { Stack } from '@weir/devstack'
import { openTopic } from '../../src/index.ts'
import { connectTo, numbered, textOf } from './support.ts'
import type { Broker } from './support.ts'

let folder: string
let stack: Stack
let broker: Broker

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-reading-'))
  const schemaRegistryUrl = 'http://127.0.0.1:9'
  stack = await startStack({ folder, ports: 'free', schemaRegistryUrl })
  broker = await connectTo([stack.kafkaBrokers])
})

afterAll(async () => {
  await broker?.close()
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a reading continues where it was when the broker is back, and hands out nothing twice', async () => {
  const name = await broker.makeTopic(2)
  await broker.write(name, [...numbered(50, 0), ...numbered(50, 1)])
  const options = { ...broker.optionsOf(name), connectTimeoutMs: 60_000 }
  const topic = await openTopic(options)
  const texts: string[] = []
  await topic.read(async (record) => {
    texts.push(textOf(record))
    if (texts.length !== 10) return
    await stack.killBroker()
    await stack.restartBroker()
  })
  await topic.close()
  expect(texts).toEqual(
    [0, 1].flatMap((partition) =>
      numbered(50, partition).map(({ value }) => `${partition} ${String(value)}`),
    ),
  )
})

test('a reading ends as unreachable if the broker does not come back', async () => {
  const name = await broker.makeTopic(2)
  await broker.write(name, [...numbered(1, 0), ...numbered(1, 1)])
  const topic = await openTopic({ ...broker.optionsOf(name), connectTimeoutMs: 500 })
  const reading = topic.read(() => stack.killBroker())
  await expect(reading).rejects.toMatchObject({ name: 'ReadError', code: 'unreachable' })
  await topic.close()
})

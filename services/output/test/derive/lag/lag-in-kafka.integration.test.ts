// Kafka's own tool shows the progress of a derived stream, also while no replica derives it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeKafkaTools } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { freshName, kafkaBrokers } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { makeEvents } from '../../support/many-events.ts'
import { openSceneApart } from '../../support/scene.ts'
import type { ApartScene } from '../../support/scene.ts'
import { sendAll } from '../../support/send-all.ts'

let scene: ApartScene
let input: TestStream
let output: TestStream
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-lag-'))
  await makeKafkaTools(folder)
  scene = await openSceneApart()
  await scene.account.contracts()
  input = await scene.account.input(freshName('in'))
  output = await scene.output(input.name, freshName('out'), { consentLevels: [1] })
})

afterAll(async () => {
  await scene?.close()
  await rm(folder, { recursive: true, force: true })
})

type Shown = { readonly at: number; readonly end: number; readonly lag: number }

/** Returns what the tool shows, summed over all partitions of the input. */
async function shown(): Promise<Shown> {
  const tool = join(folder, 'kafka-consumer-groups.sh')
  const groupId = `weir.${scene.account.billingId}.${output.name}`
  const args = ['--bootstrap-server', kafkaBrokers().join(), '--describe', '--group', groupId]
  const { stdout } = await promisify(execFile)(tool, args)
  const rows = stdout.split('\n').filter((line) => line.includes(` ${input.topic} `))
  // Group, topic, partition, committed offset, end offset, lag. A partition without records has «-».
  const sumOf = (column: number): number =>
    rows.reduce((sum, row) => sum + (Number(row.split(/\s+/)[column]) || 0), 0)
  return { at: sumOf(3), end: sumOf(4), lag: sumOf(5) }
}

const send = async (count: number): Promise<void> =>
  sendAll(makeEvents(count, 100, count), {
    ingestUrl: scene.world.ingest.url,
    token: await scene.tokenOf(input),
    connections: 1,
    streams: 8,
  })

test('a stream that keeps up has no lag, and one that nobody derives has the events that came meanwhile', async () => {
  await send(60)
  await scene.untilDerived(input, output.name)
  expect(await shown()).toEqual({ at: 60, end: 60, lag: 0 })

  await scene.world.output.stop()
  await send(25)
  expect(await shown()).toEqual({ at: 60, end: 85, lag: 25 })

  await scene.world.replica('output')
  const isUp = async (): Promise<boolean> => (await shown()).lag === 0
  await pollUntil(isUp, { deadlineMs: 60_000, what: 'no lag' })
  expect(await shown()).toEqual({ at: 85, end: 85, lag: 0 })
}, 180_000)

// Accounts, streams and keys are lost with their topics, and restored from a backup. Afterwards old credentials work, a
// derived stream continues at its position, and old events can be decrypted.
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { signUp, exampleEvent } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { runProgram } from '../../src/world/run-program.ts'
import type { ProgramOutcome } from '../../src/world/run-program.ts'
import { kekFileOf } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'
import { REPOSITORY } from '@weir/devstack'

const schemaId = 'clickstream'

let own: OwnNames
let world: World
let account: Account
let input: TestStream
beforeAll(async () => {
  own = await openOwnNames('backup')
  world = await own.startWorld()
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  input = await account.input('clicks')
  await account.output('clicks', 'clicks-1', { consentLevels: [1] })
}, 300_000)

afterAll(async () => {
  await own?.close()
})

/** Runs the backup tool as an operator does. */
const backup = (verb: string, input = '', at = own): Promise<ProgramOutcome> =>
  runProgram([join(REPOSITORY, 'services/auth/src/backup/main.ts'), ...verb.split(' ')], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ...at.env,
      KEK_FILE: kekFileOf('auth'),
    },
    input,
  })

async function sendOne(): Promise<void> {
  const producer = await connectProducer(world.ingest.url)
  const token = await account.at(world.auth.url).token(input)
  const event = await exampleEvent(schemaId)
  const answer = await producer.send(event, { token, schemaId })
  producer.close()
  expect([answer.status, answer.body]).toEqual([204, ''])
}

/** Returns the person in each derived event, readable only if decrypted. */
async function peopleIn(topic: string, count: number): Promise<unknown[]> {
  const contract = await compiledExample(schemaId)
  const records = await own.reader.readUntil(topic, count)
  return records.map((record) => plainEvent(contract, record)['producerSessionId'])
}

test('what a backup holds is everything: after losing both topics all goes on as before, exactly once', async () => {
  const derived = `${account.billingId}.clicks-1`
  await sendOne()
  await peopleIn(derived, 1)

  const saved = await backup('save')
  expect([saved.code, saved.complaint]).toEqual([0, expect.stringContaining('weir.control: ')])
  const refuse = async (why: string): Promise<void> => {
    const { code, complaint } = await backup('restore', saved.output)
    expect([code, complaint]).toEqual([1, expect.stringContaining(why)])
  }
  await refuse('Stop all services first')
  await world.stop()
  await refuse('is not empty')
  for (const topic of ['weir.control', 'weir.keys']) await own.reader.admin.topics.delete(topic)
  const restored = await backup('restore', saved.output)
  expect([restored.code, restored.complaint]).toEqual([0, expect.stringContaining('are restored')])

  world = await own.startWorld()
  await sendOne()
  expect(await peopleIn(derived, 2)).toEqual(['session-0001', 'session-0001'])
  const again = account.at(world.auth.url)
  await again.output('clicks', 'clicks-2', { consentLevels: [1], from: 'earliest' })
  expect(await peopleIn(`${account.billingId}.clicks-2`, 2)).toEqual([
    'session-0001',
    'session-0001',
  ])
}, 240_000)

test('a backup may be restored under another prefix: accounts, credentials and streams are there', async () => {
  const other = await openOwnNames('backup-other')
  try {
    const saved = await backup('save')
    const restored = await backup('restore --erasures-lost-since never', saved.output, other)
    expect([restored.code, restored.complaint]).toEqual([
      0,
      expect.stringContaining('are restored'),
    ])

    const { auth } = await other.startWorld()
    const moved = account.at(auth.url)
    expect(await moved.token(input)).toEqual(expect.any(String))
    const { body } = await moved.call('GET', '/v2/streams/clicks')
    expect(body['topic']).toBe(`${other.env['KAFKA_PREFIX']}${input.topic}`)
  } finally {
    await other.close()
  }
}, 240_000)

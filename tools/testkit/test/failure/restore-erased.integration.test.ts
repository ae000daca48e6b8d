// After the loss of control state, an operator restores a backup that is older than some erasures. Erased people stay
// erased, and no service uses a key before this is certain. Erasures that may be lost are reported.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTransactor } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import { REPOSITORY } from '@weir/devstack'

import { asObject, exampleEvent, expectStatus, listIn, signUp } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { runProgram } from '../../src/world/run-program.ts'
import type { ProgramOutcome } from '../../src/world/run-program.ts'
import { kekFileOf } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const schemaId = 'clickstream'
const soon = { deadlineMs: 60_000 }

let own: OwnNames
let world: World
let account: Account
let input: TestStream
let sent = 0

beforeAll(async () => {
  own = await openOwnNames('restore')
  world = await own.startWorld()
  account = await signUp(world.auth.url)
  await account.contract(schemaId, { data_subject_field: 'customer/id' })
  input = await account.input('clicks')
  await account.output('clicks', 'clicks-1', { consentLevels: [3] })
}, 300_000)

afterAll(async () => {
  await own?.close()
})

const operate = (args: readonly string[], stdin = ''): Promise<ProgramOutcome> =>
  runProgram([join(REPOSITORY, 'services/auth/src/backup/main.ts'), ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...own.env, KEK_FILE: kekFileOf('auth') },
    input: stdin,
  })

async function saved(verb: 'save' | 'erasures'): Promise<string> {
  const { code, output, complaint } = await operate([verb])
  expect([code, complaint]).toEqual([0, expect.stringContaining('weir.erasures: ')])
  return output
}

async function send(...people: readonly string[]): Promise<void> {
  const producer = await connectProducer(world.ingest.url)
  const token = await account.token(input)
  const example = await exampleEvent(schemaId)
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2, 3] }
  for (const person of people) {
    const names = { producerSessionId: person, referrer: person, customer: { id: `c-${person}` } }
    const { status } = await producer.send({ ...example, svcMeta, ...names }, { token, schemaId })
    expect(status).toBe(204)
    sent += 1
  }
  producer.close()
}

/** Returns, by person, the key field in a new output with all levels. */
async function inNewOutput(name: string): Promise<Record<string, unknown>> {
  await account.output('clicks', name, { consentLevels: [3], from: 'earliest' })
  const records = await own.reader.readUntil(`${account.billingId}.${name}`, sent)
  const contract = await compiledExample(schemaId)
  return Object.fromEntries(
    records.map((record) => {
      const { referrer, producerSessionId } = plainEvent(contract, record)
      return [referrer, producerSessionId]
    }),
  )
}

async function erase(body: object): Promise<Record<string, unknown>> {
  const path = '/v2/streams/clicks/erasures'
  return expectStatus(await account.call('POST', path, body), 201).body
}

async function lose(...topics: readonly string[]): Promise<void> {
  for (const topic of topics) await own.reader.admin.topics.delete(`weir.${topic}`)
}

const becomes = (adminUrl: string, status: number, words = ''): Promise<unknown> =>
  pollUntil(async () => {
    const response = await fetch(`${adminUrl}/health/ready`).catch(() => undefined)
    return response?.status === status && (await response.text()).includes(words)
  }, soon)

/** Returns the time in the first line of a file. */
const madeAtOf = (text: string): string => /"madeAt":"([^"]+)"/.exec(text)?.[1] ?? 'no time'

const encrypted = (): unknown => expect.not.stringMatching(/^(ada|bob|cem|dan)$/)
const clicks = async () => (await account.call('GET', '/v2/streams/clicks')).body

test('erasures after the backup hold: Kafka still has their log, and the audit log says that it is complete', async () => {
  await send('ada', 'bob', 'cem')
  const backup = await saved('save')
  const { id } = await erase({ keyFieldValue: 'bob', reference: 'T-1' })
  await world.auth.stop()
  const early = await operate(['restore'], backup)
  expect([early.code, early.complaint]).toEqual([
    1,
    expect.stringMatching(/^Stop all services first.*: ingest \S+, output \S+\.$/m),
  ])
  await world.stop()
  await lose('control', 'keys')
  const restored = await operate(['restore'], backup)
  expect([restored.code, restored.complaint]).toEqual([0, expect.not.stringContaining('undone')])
  world = await own.startWorld()
  account = account.at(world.auth.url)

  expect(await inNewOutput('clicks-2')).toEqual({ ada: 'ada', bob: encrypted(), cem: 'cem' })
  const path = `/v2/streams/clicks/erasures/${String(id)}`
  const { body } = expectStatus(await account.call('GET', path), 200)
  expect(body).toMatchObject({ id, reference: 'T-1', found: { events: 1 } })
  expect(await clicks()).not.toHaveProperty('erasuresLost')
}, 240_000)

test('while a restore is not finished no service uses a key, and each says why; auth finishes it', async () => {
  const transactor = createTransactor(own.reader.kafka, {
    transactionalId: 'weir.restoring',
    timeoutMs: 10_000,
  })
  await transactor.fence()
  const value = Buffer.of(1, 0)
  await transactor.transaction((tx) =>
    tx.send([{ topic: 'weir.keys', partition: 0, key: '_restoring', value }]),
  )
  await transactor.close()
  const all = [world.auth, world.ingest, world.output]
  const why = 'a backup is being restored'
  await Promise.all(all.map(({ adminUrl }) => becomes(adminUrl, 503, why)))
  await Promise.all(all.map(({ adminUrl }) => becomes(adminUrl, 200)))
  await send('dan')
}, 120_000)

test('if everything is lost, a later copy of the erasures is demanded; it holds, and what is unknown is said', async () => {
  const backup = await saved('save')
  await erase({ keyFieldValue: 'cem' })
  const copy = join(own.folder, 'weir.erasures')
  await writeFile(copy, await saved('erasures'))
  await world.stop()
  await lose('control', 'keys', 'audit', 'erasures', 'subjects')

  const refused = await operate(['restore'], backup)
  expect([refused.code, refused.complaint]).toEqual([1, expect.stringContaining('--erasures FILE')])
  const refuse = async (what: string, text: string): Promise<void> => {
    const { code, complaint } = await operate(['restore', '--erasures', copy], text)
    expect([code, complaint]).toEqual([1, expect.stringContaining(what)])
  }
  await refuse('more than 90 days', backup.replace(madeAtOf(backup), '2020-01-01T00:00:00.000Z'))
  await refuse('before the backup', backup.replace(madeAtOf(backup), new Date().toISOString()))
  await refuse('its end is missing', backup.slice(0, backup.lastIndexOf('\n', backup.length - 2)))
  const restored = await operate(['restore', '--erasures', copy], backup)
  expect([restored.code, restored.complaint]).toEqual([
    0,
    expect.stringMatching(/Erasures since .* may be undone/),
  ])
  world = await own.startWorld()
  account = account.at(world.auth.url)

  await send('eve')
  expect(await inNewOutput('clicks-3')).toEqual({
    ada: 'ada',
    bob: encrypted(),
    cem: encrypted(),
    dan: 'dan',
    eve: 'eve',
  })
  const [lost] = listIn(await clicks(), 'erasuresLost').map(asObject)
  const since = madeAtOf(await readFile(copy, 'utf8'))
  expect(lost).toEqual({ since, until: expect.any(String) })

  const env = { WEIR_AUTH_URL: world.auth.url, WEIR_API_KEY: account.apiKey, HOME: own.folder }
  const weir = [join(REPOSITORY, 'clients/cli/bin/weir.js'), 'erasure', 'list', 'clicks'] as const
  const listed = await runProgram(weir, { env: { ...process.env, ...env } })
  expect([listed.code, listed.complaint]).toEqual([0, expect.stringContaining(`between ${since}`)])

  // The links of data subjects are in the backup; links from after the backup are lost.
  const erased = await erase({ subject: 'c-ada' })
  expect(erased).toMatchObject({ found: { events: 1 }, incompleteSince: madeAtOf(backup) })
  expect(await inNewOutput('clicks-4')).toMatchObject({ ada: encrypted(), eve: 'eve' })
}, 240_000)

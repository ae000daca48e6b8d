// A data subject has so many pseudonyms that its erasure takes hundreds of transactions. (The default limit of
// pseudonyms prevents this.) auth is killed repeatedly. At the end all pseudonyms are erased, but no other person. No
// service has needed more memory than Kubernetes gives it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '@weir/devstack'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { scale } from '../../src/scale.ts'
import { asObject, signUp, exampleEvent, freshName, textIn } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { dieAt } from '../../src/world/die-at.ts'
import { peakResidentBytes } from '../../src/world/memory.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const pseudonyms = scale(30_000, 1_600)
const othersEvents = 20
const eventsAtOnce = 500

let own: OwnNames
let world: World
let spare: Service | undefined
let account: Account
let input: TestStream

beforeAll(async () => {
  own = await openOwnNames('pieces')
  world = await own.startWorld({ SUBJECT_LINKS_MAX: '1000000' })
  account = await signUp(world.auth.url)
  await account.contract('demo_v1', { data_subject_field: 'unique_identifier' })
  input = await account.input('events', { partitions: 1 })
  const ada = Array.from({ length: pseudonyms }, (_, index) => ['ada', `device-${index}`] as const)
  const bob = Array.from({ length: othersEvents }, (_, index) => ['bob', `phone-${index}`] as const)
  await send([...ada, ...bob])
}, 300_000)

afterAll(async () => {
  await spare?.stop()
  await own?.close()
})

async function send(people: readonly (readonly [subject: string, device: string])[]) {
  const example = await exampleEvent('demo_v1')
  const token = await account.token(input)
  const producer = await connectProducer(world.ingest.url)
  const options = {
    token,
    schemaId: 'demo_v1',
    path: '/events',
    headers: { 'content-type': 'application/x-ndjson' },
  }
  for (let at = 0; at < people.length; at += eventsAtOnce) {
    const lines = people.slice(at, at + eventsAtOnce).map(([subject, device]) =>
      JSON.stringify({
        ...example,
        svcMeta: { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2, 3] },
        consistent_value: device,
        unique_identifier: { string: subject },
        not_sensitive_value: { string: subject },
      }),
    )
    const answer = await producer.send(lines.join('\n'), options)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { rejected: [] }])
  }
  producer.close()
}

const path = '/v2/streams/events/erasures'
async function onlyErasure(): Promise<Record<string, unknown>> {
  const list: unknown = JSON.parse((await account.call('GET', path)).text)
  expect(list).toHaveLength(1)
  return asObject(Array.isArray(list) ? list[0] : undefined)
}

/** The writes at which auth is killed: the erasure's record in its first, a later and its last transaction. */
const steps = [
  [/^erasure\/.*"pieces":1,/, 'open'],
  [/^erasure\/.*"pieces":1,/, 'after'],
  [/^erasure\/.*"worker":/, 'open'],
  [/^erasure\/.*"worker":/, 'after'],
  [/^erasure\/(?!.*"rest":)/, 'open'],
] as const

test('is erased whole, wherever auth is killed on the way, and within the memory that services have', async () => {
  await world.auth.kill()
  const answers: unknown[] = []
  for (const [record, when] of steps)
    await dieAt(world, { record, when }, async (url) => {
      if (answers.length === 2) return // the second request has stored the erasure
      const answer = account.at(url).call('POST', path, { subject: 'ada' })
      answers.push((await answer.catch(() => undefined))?.status)
    })
  expect(answers).toEqual([undefined, undefined])
  spare = await world.replica('auth')
  account = account.at(spare.url)

  const erasure = await onlyErasure()
  const isApplied = async () => textIn(await onlyErasure(), 'state') !== 'accepted'
  await pollUntil(isApplied, { deadlineMs: 600_000, everyMs: 500, what: 'the erasure' })
  expect(await onlyErasure()).toMatchObject({ id: erasure['id'], values: 1 })
  expect(await onlyErasure()).not.toHaveProperty('progress')
  const looked = await account.call('POST', '/v2/streams/events/subjects/lookup', {
    subject: 'ada',
  })
  expect(looked.body).toMatchObject({ links: 0 })

  const name = freshName('all')
  const output = await account.output('events', name, { consentLevels: [3], from: 'earliest' })
  const contract = await compiledExample('demo_v1')
  const records = await own.reader.readUntil(output.topic, pseudonyms + othersEvents, 240_000)
  const sealed = (subject: string): boolean[] =>
    records
      .filter((record) => plainEvent(contract, record)['not_sensitive_value'] === subject)
      .map(({ headers }) => headers['svc-undecryptable'] !== undefined)
  expect([sealed('ada').length, new Set(sealed('ada'))]).toEqual([pseudonyms, new Set([true])])
  expect([sealed('bob').length, new Set(sealed('bob'))]).toEqual([othersEvents, new Set([false])])

  const tooLarge: string[] = []
  for (const [service, { pid }] of Object.entries({
    auth: spare,
    ingest: world.ingest,
    output: world.output,
  })) {
    const [peak, limit] = [await peakResidentBytes(pid), await memoryLimitOf(service)]
    if (peak >= limit) tooLarge.push(`${service} took ${peak} of ${limit} bytes`)
  }
  expect(tooLarge).toEqual([])
}, 1_800_000)

async function memoryLimitOf(service: string): Promise<number> {
  const manifest = await readFile(join(REPOSITORY, `k8s/base/${service}.yaml`), 'utf8')
  const [, mebibytes] = /limits: \{ memory: (\d+)Mi \}/.exec(manifest) ?? []
  if (mebibytes === undefined) throw new Error(`${service} has no limit`)
  return Number(mebibytes) * 1_048_576
}

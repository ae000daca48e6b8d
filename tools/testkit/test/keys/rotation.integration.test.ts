// Keys are rotated while events flow, and while auth is killed at every step of the rotation. At the end new wrapping
// keys wrap the unchanged contents of all key records. The new KEK wraps these wrapping keys, and the old KEK can be
// removed.
import { execFile } from 'node:child_process'
import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY, kekFilesIn, makeKekFiles } from '@weir/devstack'
import type { Service } from '@weir/devstack'
import { delay, pollUntil } from '@weir/kit'

import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import { compiledBefore } from '../../src/world/run-program.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { dieAt } from '../../src/world/die-at.ts'
import { openKeys } from '../../src/world/open-keys.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { clockShiftedBy } from '../../src/world/shifted-clock.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const schemaId = 'clickstream'
const person = 'session-0001'

let kekFiles: ReturnType<typeof kekFilesIn>
let own: OwnNames
let world: World
let auth: Service
let account: Account
let input: TestStream
let producer: Producer

beforeAll(async () => {
  own = await openOwnNames('rotation')
  await makeKekFiles(own.folder)
  kekFiles = kekFilesIn(own.folder)
  world = await own.startWorld({ KEK_FOLDER: own.folder })
  auth = world.auth
  account = await signUp(auth.url)
  await account.contract(schemaId)
  input = await account.input('clicks')
  await account.output('clicks', 'clicks-1', { consentLevels: [1] })
  producer = await connectProducer(world.ingest.url)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

const platform = (method: string, path: string, url = auth.url) =>
  request(url, setting('PLATFORM_KEY'), method, path)
const keysNow = async () => expectStatus(await platform('GET', '/v2/keys'), 200).body
const isDone = async (): Promise<boolean> => {
  const rotation = (await keysNow())['rotation']
  return rotation !== null && asObject(rotation)['finishedAt'] !== null
}
/** Adds a new version of the KEKs to all files. auth writes with this version, so its file comes last. */
const addKek = async (version: number, byte: string): Promise<void> => {
  for (const file of [kekFiles.output, kekFiles.ingest, kekFiles.auth])
    await appendFile(file, await nextVersions(file, version, byte))
}
async function nextVersions(file: string, version: number, byte: string): Promise<string> {
  const names = new Set((await readFile(file, 'utf8')).match(/^\w+/gm))
  // Each name has a different key, which is the same in every file.
  const keyOf = (name: string) => `${byte}${Buffer.from(name).toString('hex').padEnd(62, '0')}`
  return [...names].map((name) => `${name} ${version} ${keyOf(name)}\n`).join('')
}
const contents = async (): Promise<Record<string, string | undefined>> => {
  const { parts } = await openKeys(own.reader, await readFile(kekFiles.auth, 'utf8'))
  return Object.fromEntries([...parts].map(([key, { plain }]) => [key, plain?.toString('hex')]))
}
/** Returns the versions and KEKs of all wrapping keys, without the keys' names. */
const wrappingKeysNow = async (): Promise<Set<string>> => {
  const { wrappingKeys } = await openKeys(own.reader, await readFile(kekFiles.auth, 'utf8'))
  return new Set(
    [...wrappingKeys].map(([key, kek]) => `${key.split('/').at(-1)} ${kek.replace(/:.*:/, ':')}`),
  )
}

test('while events flow, all parts go under new wrapping keys; nobody is refused, and the old KEK can go', async () => {
  const before = await contents()
  expect(Object.values(before)).not.toContain(undefined)
  const token = await account.token(input)
  const event = await exampleEvent(schemaId)
  const statuses: number[] = []
  let isOver = false
  const sending = (async () => {
    while (!isOver) statuses.push((await producer.send(event, { token, schemaId })).status)
  })()

  await addKek(2, 'b2')
  const begun = expectStatus(await platform('POST', '/v2/keys/rotations'), 202).body
  expect(begun).toMatchObject({ parts: Object.keys(before).length, finishedAt: null })
  await pollUntil(isDone, { deadlineMs: 60_000, what: 'the end of the rotation' })
  isOver = true
  await sending

  expect(new Set(statuses)).toEqual(new Set([204]))
  expect(await contents()).toEqual(before)
  expect(await wrappingKeysNow()).toEqual(new Set(['2 file:2']))
  const { rotation, unusedKeks } = await keysNow()
  expect(rotation).toMatchObject({ id: begun['id'], partsLeft: 0 })
  const unused = ['levels', 'link', 'open', 'sign'].map((name) => `file:${name}:1`)
  expect(new Set(listIn(unusedKeks, 'kek'))).toEqual(new Set(unused))

  for (const file of Object.values(kekFiles)) {
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, lines.filter((line) => !/^\S+ 1 /.test(line)).join('\n'))
  }
  const output = await world.replica('output')
  await account.output('clicks', 'clicks-again', { consentLevels: [1], from: 'earliest' })
  const contract = await compiledExample(schemaId)
  const records = await own.reader.readUntil(`${account.billingId}.clicks-again`, statuses.length)
  const people = records.map((record) => plainEvent(contract, record)['producerSessionId'])
  expect(new Set(people)).toEqual(new Set([person]))
  await output.stop()
})

/** The record of the rotation at its start, in between, and at its end. */
const steps = [
  /^rotation\/last (?!.*"(worker|finishedAtMs)":)/,
  /^rotation\/last .*"worker":/,
  /^rotation\/last .*"finishedAtMs":/,
]

test('killed before, in and after every one of its transactions, auth ends the rotation when it is back', async () => {
  const before = await contents()
  await addKek(3, 'c3')
  await auth.stop()
  for (const record of steps) {
    for (const when of ['before', 'open', 'after'] as const) {
      await dieAt(world, { record, when }, (url) => platform('POST', '/v2/keys/rotations', url))
    }
  }
  auth = await world.replica('auth')
  expect(await isDone()).toBe(true)
  expect(await contents()).toEqual(before)
  expect(await wrappingKeysNow()).toEqual(new Set(['3 file:3']))
  const token = await account.at(auth.url).token(input)
  producer = await connectProducer(world.ingest.url)
  const answer = await producer.send(await exampleEvent(schemaId), { token, schemaId })
  expect([answer.status, answer.body]).toEqual([204, ''])
}, 180_000)

const listIn = (list: unknown, member: string): unknown[] =>
  Array.isArray(list) ? list.map((each) => asObject(each)[member]) : []

/** Runs `weir` as an operator does. */
async function weir(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const entry = join(REPOSITORY, 'clients/cli/bin/weir.js')
  const env = {
    PATH: process.env['PATH'],
    WEIR_CONFIG: join(own.folder, 'profile.json'),
    WEIR_AUTH_URL: auth.url,
    WEIR_PLATFORM_KEY: setting('PLATFORM_KEY'),
    ...compiledBefore(),
  }
  return promisify(execFile)(process.execPath, [entry, ...args], { env })
}

test('the command shows how far a rotation is until it is done, and what lies under what', async () => {
  await addKek(4, 'd4')
  const rotated = await weir('keys', 'rotate')
  expect(rotated.stdout).toMatch(/^WRAPPING KEY +VERSION +KEK +KEY RECORDS +CURRENT$/m)
  expect(rotated.stdout).toMatch(/^open +4 +file:\w+:4 +\d+ +yes$/m)
  expect(rotated.stdout).not.toMatch(/file:\w+:3/)
  expect(rotated.stderr).toMatch(/file:\w+:3 has wrapped nothing since .*\. You can destroy it/)
  const listed = JSON.parse((await weir('keys', 'list', '-o', 'json')).stdout)
  expect(listed).toEqual(await keysNow())
  const begun = JSON.parse((await weir('keys', 'rotate', '--no-wait', '-o', 'json')).stdout)
  expect(begun).toMatchObject({ finishedAt: null, id: expect.any(String) })
  await pollUntil(isDone, { deadlineMs: 60_000, what: 'the end of the rotation' })
})

test('a rotation waits for a replica that lacks the new KEK, which goes on meanwhile; nobody starts without it', async () => {
  const ownFile = join(own.folder, 'own-kek')
  await copyFile(kekFiles.ingest, ownFile)
  const late = await world.replica('ingest', { KEK_FILE: ownFile })
  await addKek(5, 'e5')
  expectStatus(await platform('POST', '/v2/keys/rotations'), 202)
  const isTold = () =>
    auth.lines().some((line) => line.includes('the key rotation waits for replicas'))
  await pollUntil(isTold, { deadlineMs: 60_000, what: 'a rotation that waits' })
  const lateProducer = await connectProducer(late.url)
  const token = await account.at(auth.url).token(input)
  const { status } = await lateProducer.send(await exampleEvent(schemaId), { token, schemaId })
  expect(status).toBe(204)
  lateProducer.close()
  expect(await isDone()).toBe(false)
  const isUnready = async (): Promise<boolean> => {
    const ready = await fetch(`${late.adminUrl}/health/ready`)
    return ready.status === 503 && (await ready.text()).includes('_ring/')
  }
  await pollUntil(isUnready, {
    deadlineMs: 60_000,
    what: 'a replica that lacks a wrapping key is unready',
  })

  const starting = world.replica('output', { KEK_FILE: ownFile })
  starting.catch(() => undefined)
  await delay(2_000)
  expect(await Promise.race([starting.then(() => 'ready'), delay(0).then(() => 'waits')])).toBe(
    'waits',
  )

  await copyFile(kekFiles.ingest, ownFile)
  const output = await starting
  await pollUntil(isDone, { deadlineMs: 60_000, what: 'the end of the rotation' })
  await Promise.all([late.stop(), output.stop()])
})

// With a clock more than an hour ahead, auth could write nothing at all, because Kafka refuses records from the future.
test('a clock that is half an hour ahead is told of, and takes no keys away', async () => {
  const held = Object.keys(await contents()).filter((key) => key.startsWith(account.billingId))
  await auth.stop()
  auth = await world.replica('auth', clockShiftedBy(30 * 60_000))
  const isTold = () => auth.lines().some((line) => line.includes('the clocks differ'))
  await pollUntil(isTold, { deadlineMs: 60_000, what: 'clocks that differ in the log' })
  expect(Object.keys(await contents())).toEqual(expect.arrayContaining(held))
})

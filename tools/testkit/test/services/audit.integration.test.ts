// An auditor verifies the audit log. It is intact after two replicas of auth have written concurrently, one of them
// killed repeatedly. Tampering with the topic is found.
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { createTransactor } from '@weir/kafka'
import type { SourceRecord } from '@weir/kafka'

import { signUp } from '../../src/world/account.ts'
import type { Account } from '../../src/world/account.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { runProgram } from '../../src/world/run-program.ts'
import type { ProgramOutcome } from '../../src/world/run-program.ts'
import { setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { REPOSITORY } from '@weir/devstack'

const topic = 'weir.audit'

let own: OwnNames
let world: World
let account: Account

beforeAll(async () => {
  own = await openOwnNames('audit')
  world = await own.startWorld()
  account = await signUp(world.auth.url)
})

afterAll(async () => {
  await own?.close()
})

/** Runs `weir audit verify` as an auditor does. */
const verify = (...more: string[]): Promise<ProgramOutcome> =>
  runProgram([join(REPOSITORY, 'clients/cli/bin/weir.js'), 'audit', 'verify', ...more], {
    env: {
      PATH: process.env['PATH'],
      HOME: own.folder,
      WEIR_AUTH_URL: world.auth.url,
      WEIR_PLATFORM_KEY: setting('PLATFORM_KEY'),
    },
    cwd: own.folder,
  })

async function changeThrough(service: Service, mark: string): Promise<number> {
  const path = '/v2/streams/clicks'
  const reply = account.at(service.url).call('PATCH', path, { tags: [mark] })
  return reply.then(
    ({ status }) => status,
    () => 0, // killed
  )
}

async function rewrite(
  change: (values: (Buffer | null)[]) => (Buffer | string | null)[],
): Promise<void> {
  const values = (await own.reader.read(topic)).map(({ value }: SourceRecord) => value)
  await own.reader.admin.topics.delete(topic)
  await own.reader.admin.topics.create({ topic, partitions: 1 })
  await write(change(values))
}

async function write(values: readonly (Buffer | string | null)[]): Promise<void> {
  const transactor = createTransactor(own.reader.kafka, {
    transactionalId: 'forger',
    timeoutMs: 10_000,
  })
  await transactor.fence()
  await transactor.transaction(({ send }) =>
    send(values.map((value) => ({ topic, partition: 0, key: null, value }))),
  )
  await transactor.close()
}

test('two replicas at once, killed again and again, leave one whole chain in which every change is told once', async () => {
  await account.input('clicks')
  let done = 0
  for (let round = 0; round < 3; round++) {
    const victim = await world.replica('auth')
    const marks = Array.from({ length: 12 }, (_, index) => `${round}/${index}`)
    const changes = marks.map(async (mark, index) => {
      const status = await changeThrough(index % 2 === 0 ? victim : world.auth, mark)
      if (index === 5) await victim.kill()
      return status
    })
    done += (await Promise.all(changes)).filter((status) => status === 200).length
  }
  const told = (await own.reader.read(topic)).filter(({ value }) =>
    String(value).includes('"tags"'),
  )
  expect(told.length).toBeGreaterThanOrEqual(done)
  const requests = told.map(({ value }) => /"requestId":"([^"]+)"/.exec(String(value))?.[1])
  expect(new Set(requests).size).toBe(told.length)
  const { code, output, complaint } = await verify()
  expect([code, complaint]).toEqual([0, expect.stringContaining('The audit log is intact')])
  const head = output.trim()
  await changeThrough(world.auth, 'once more')
  expect(await verify('--head', head)).toMatchObject({ code: 0 })
})

test('what somebody does to the topic is found, and told where', async () => {
  const [, number = ''] = /^(\d+):/.exec((await verify()).output) ?? []
  const last = Number(number)
  const faultOf = async () => {
    const { code, complaint } = await verify()
    return [code, complaint]
  }
  const found = (text: string) => [1, expect.stringContaining(text)]

  await rewrite((values) => values.slice(0, -1))
  expect(await faultOf()).toEqual(
    found(`The log is incomplete at its end: entry ${last} is missing`),
  )
  // auth continues from the state in its memory, so the gap remains.
  expect(await changeThrough(world.auth, 'after')).toBe(200)
  expect(await faultOf()).toEqual(found(`entry ${last} is missing`))

  await rewrite((values) =>
    values.map((value, index) =>
      index === 2 ? String(value).replace('"outcome":"done"', '"outcome":"DONE"') : value,
    ),
  )
  expect(await faultOf()).toEqual(found('Entry 3 or entry 4'))

  await write(['{"seq":1}'])
  expect(await faultOf()).toEqual(found('Entry 1 at offset'))
})

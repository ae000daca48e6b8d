// A stack for one test: which data and processes survive, and who may own the folder.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAdmin, createKafka } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'

import { isRunning } from '../src/process/process-identity.ts'
import type { ProcessIdentity } from '../src/process/process-identity.ts'
import { startStack } from '../src/stack.ts'
import type { Stack } from '../src/stack.ts'

const TIMEOUT_MS = 180_000
const SCHEMA = { schema: JSON.stringify({ type: 'string' }) }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-stack-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test(
  'its data survive the SIGKILL of whoever started it, its processes do not',
  async () => {
    const { parent, kafkaBrokers } = await startParent()
    await withAdmin(kafkaBrokers, (admin) => admin.topics.create({ topic: 'kept', partitions: 1 }))
    const processes = await processesOfStack()

    parent.kill('SIGKILL')

    expect(processes).toHaveLength(4)
    await pollUntil(() => !processes.some(isRunning), { deadlineMs: 60_000 })
  },
  TIMEOUT_MS,
)

test(
  'a start on the same data finds what was there, and refuses a second one beside it',
  async () => {
    const stack = await startStack({ folder, ports: 'free' })
    try {
      await expect(topicExists(stack, 'kept')).resolves.toBe(true)
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
      await expect(startStack({ folder, ports: 'free' })).rejects.toMatchObject({
        code: 'already_running',
        message: expect.stringContaining(`process ${process.pid}`),
      })
    } finally {
      await stack.stop()
    }
  },
  TIMEOUT_MS,
)

test(
  'a start right after a SIGKILL waits for what is still ending; schemas are kept like topics',
  async () => {
    const former = await startParent()
    const id = await registerSchema(former)
    former.parent.kill('SIGKILL')
    await once(former.parent, 'exit')

    const stack = await startStack({ folder, ports: 'free' })
    try {
      await expect(registerSchema(stack)).resolves.toBe(id)
      await expect(topicExists(stack, 'kept')).resolves.toBe(true)
    } finally {
      await stack.stop()
    }
  },
  TIMEOUT_MS,
)

test(
  'its broker can be killed, restarted and paused while the rest goes on',
  async () => {
    const died: string[] = []
    const stack = await startStack({
      folder,
      ports: 'free',
      schemaRegistryUrl: 'http://127.0.0.1:1/elsewhere',
      onDied: ({ name }) => died.push(name),
    })
    try {
      expect(stack.schemaRegistryUrl).toBe('http://127.0.0.1:1/elsewhere')
      const before = stack.brokerPid()
      await stack.killBroker()
      expect(stack.brokerPid()).toBeUndefined()
      await stack.restartBroker()
      expect(stack.brokerPid()).not.toBe(before)
      stack.pauseBroker()
      stack.resumeBroker()
      await expect(topicExists(stack, 'kept')).resolves.toBe(true)
      expect(died).toEqual([])

      process.kill(stack.brokerPid() ?? 0, 'SIGKILL')
      await pollUntil(() => died.length > 0, { deadlineMs: 60_000 })
      expect(died).toEqual(['Kafka'])
    } finally {
      await stack.stop()
    }
  },
  TIMEOUT_MS,
)

test(
  'a start that is called off leaves nothing running, and the folder free',
  async () => {
    const starting = startStack({ folder, ports: 'free', signal: AbortSignal.timeout(500) })
    await expect(starting).rejects.toMatchObject({ name: 'TimeoutError' })

    const stack = await startStack({
      folder,
      kafkaBrokers: '127.0.0.1:1',
      schemaRegistryUrl: 'http://127.0.0.1:1',
    })
    await expect(processesOfStack()).resolves.toEqual([])
    await stack.stop()
  },
  TIMEOUT_MS,
)

async function startParent() {
  const file = join(import.meta.dirname, 'fixtures', 'stack-parent.ts')
  const parent = spawn(process.execPath, [file, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const { kafkaBrokers, schemaRegistryUrl } = JSON.parse(String(line))
  return { parent, kafkaBrokers, schemaRegistryUrl }
}

async function processesOfStack(): Promise<ProcessIdentity[]> {
  return JSON.parse(await readFile(join(folder, 'stack.lock'), 'utf8')).processes
}

function topicExists({ kafkaBrokers }: Stack, topic: string): Promise<boolean> {
  return withAdmin(kafkaBrokers, (admin) => admin.topics.exists(topic))
}

async function withAdmin<T>(
  brokers: string,
  work: (admin: ReturnType<typeof createAdmin>) => Promise<T>,
): Promise<T> {
  const log = createLog('test', 'silent')
  const admin = createAdmin(createKafka({ brokers: [brokers], clientId: 'devstack-test', log }))
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}

async function registerSchema({
  schemaRegistryUrl,
}: Pick<Stack, 'schemaRegistryUrl'>): Promise<number> {
  const response = await fetch(`${schemaRegistryUrl}/subjects/kept/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(SCHEMA),
  })
  const answer: unknown = await response.json()
  if (typeof answer === 'object' && answer !== null && 'id' in answer) return Number(answer.id)
  throw new Error(`the registry answered ${response.status}`)
}

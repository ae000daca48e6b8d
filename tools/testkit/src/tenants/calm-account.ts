// A well-behaved account beside hostile ones. It sends each kind of request at most twenty times per second, and
// records the failures and response times.
import { asObject, signUp, exampleEvent, request, textIn } from '../world/account.ts'
import type { Account, TestStream } from '../world/account.ts'
import { contractOfFields } from '../world/contracts.ts'
import { connectProducer } from '../world/producer.ts'
import { listen } from '../world/listener.ts'

const schemaId = 'demo_v1'
const everyMs = 50
const derivedWithinMs = 60_000

/**
 * The kinds of requests. `contract` publishes a contract with a new pattern. `derived` sends an event, and ends when a
 * listener of the derived stream receives this event.
 */
export const lanes = ['token', 'event', 'management', 'contract', 'derived'] as const
export type CalmLane = (typeof lanes)[number]

export type CalmAsked = {
  /** The milliseconds of each response. */
  readonly times: Record<CalmLane, number[]>
  /** Wrong responses, and accepted events that didn't arrive. */
  readonly failures: readonly string[]
}

/** The services' addresses. */
export type CalmWorld = Readonly<Record<'auth' | 'ingest' | 'output', { readonly url: string }>>

export type CalmAccount = {
  /** Sends requests of all kinds until `end` resolves. */
  askUntil(end: Promise<unknown>): Promise<CalmAsked>
  close(): void
}

export async function createCalmAccount(world: CalmWorld): Promise<CalmAccount> {
  const { asks, close } = await prepareAsks(world)
  await asks.derived(() => {}) // waits until the derived stream is served
  return {
    async askUntil(end) {
      const times: CalmAsked['times'] = {
        token: [],
        event: [],
        management: [],
        contract: [],
        derived: [],
      }
      const failures: string[] = []
      const failed = (what: string): void => void failures.push(what)
      let isOver = false
      const asking = lanes.map(async (lane) => {
        while (!isOver) {
          const startedAt = performance.now()
          const status = await asks[lane](failed).catch((error: unknown) => String(error))
          const took = performance.now() - startedAt
          times[lane].push(took)
          if (typeof status === 'string' || status >= 300) failed(`${lane}: ${status}`)
          await new Promise((resolve) => setTimeout(resolve, Math.max(1, everyMs - took)))
        }
      })
      await Promise.race([end, Promise.all(asking)])
      isOver = true
      await Promise.all(asking)
      return { times, failures }
    },
    close,
  }
}

/** Each function sends one request, and resolves with the status of the response. */
type Asks = Record<CalmLane, (failed: (what: string) => void) => Promise<number>>

async function prepareAsks(world: CalmWorld): Promise<{ asks: Asks; close(): void }> {
  const account = await signUp(world.auth.url)
  const { billingId, apiKey, call } = account
  await account.contract(schemaId)
  const limits = { eventRate: '1000000', eventCount: '1000000000' }
  const stream = await account.input('calm', { limits })
  const { clientId, clientSecret } = stream
  const events = await watchedEvents(world, account, stream)
  let nth = 0
  const asks: Asks = {
    token: async () => (await call('POST', '/auth', { billingId, clientId, clientSecret })).status,
    event: () => events.send('of no matter'),
    management: async () => (await request(world.auth.url, apiKey, 'GET', '/v2/streams')).status,
    contract: async () => {
      const validations = [{ field: 'key', value: `^calm-${(nth += 1)}$` }]
      const contract = contractOfFields(account, { id: 'calm', fields: [], validations })
      const { status } = await call('POST', '/v2/contracts', contract)
      return status === 409 ? 201 : status // a conflict means that the object already exists
    },
    derived: async (failed) => {
      const name = `calm-${(nth += 1)}`
      const [status, isThere] = await Promise.all([events.send(name), events.came(name)])
      if (!isThere) failed(`derived: ${name} was accepted and didn't come`)
      return status
    },
  }
  return { asks, close: events.close }
}

/** Returns functions that send named events and wait for them in the derived stream. */
async function watchedEvents({ ingest, output }: CalmWorld, account: Account, stream: TestStream) {
  const derived = await account.output(stream.name, `${stream.name}-2`, { consentLevels: [2] })
  const token = await account.token(stream)
  const producer = await connectProducer(ingest.url)
  const listener = await listen(output.url, await account.token(derived))
  const example = await exampleEvent(schemaId)
  return {
    async send(name: string): Promise<number> {
      const event = { ...example, consistent_value: name }
      return (await producer.send(event, { token, schemaId })).status
    },
    came: awaited(listener.socket),
    close(): void {
      producer.close()
      listener.close()
    },
  }
}

type Socket = Awaited<ReturnType<typeof listen>>['socket']

/** The returned function resolves with whether the event with that name arrived in time. */
function awaited(socket: Socket): (name: string) => Promise<boolean> {
  const waiting = new Map<string, (isThere: boolean) => void>()
  socket.on('message', (data: Buffer) => {
    const name = textIn(asObject(JSON.parse(data.toString('utf8'))), 'consistent_value')
    waiting.get(name)?.(true)
    waiting.delete(name)
  })
  return (name) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), derivedWithinMs)
      waiting.set(name, (isThere) => {
        clearTimeout(timer)
        resolve(isThere)
      })
    })
}

export const medianOf = (ms: readonly number[]): number =>
  ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)] ?? NaN

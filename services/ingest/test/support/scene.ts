// The common preparation of ingest's tests: the test run's services or the test's own, an account with an input
// stream and its token, a client of each protocol, and a reader of Kafka's topics.
import { expect } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { signUp, createTopicReader, exampleEvent, joinWorld, startInputWorld } from '@weir/testkit'
import type {
  Account,
  ExampleContract,
  InputWorld,
  ServiceEnv,
  SharedWorld,
  TestStream,
  TopicReader,
} from '@weir/testkit'
import { connect, protocols } from './clients.ts'
import type { Answer, Client, Header, Protocol, Sent } from './clients.ts'

export type Scene<World = SharedWorld> = {
  world: World
  account: Account
  input: TestStream
  token: string
  clients: Readonly<Record<Protocol, Client>>
  reader: TopicReader
  stop(): Promise<void>
}

export type SceneOptions = {
  contracts?: readonly ExampleContract[]
  env?: ServiceEnv
}

/** Uses the services that the test run shares. */
export const startScene = async (options: Pick<SceneOptions, 'contracts'> = {}): Promise<Scene> =>
  sceneIn(await joinWorld(), options)

/** Starts an ingest replica that one test may configure, inspect or stop. */
export async function startSceneApart({ env, ...options }: SceneOptions = {}): Promise<ApartScene> {
  const shared = await joinWorld()
  return sceneIn({ ...shared, ingest: await shared.replica('ingest', env) }, options)
}

/** Has no other replica of ingest. This is for tests of limits, which replicas share. */
export type AloneScene = Scene<InputWorld>
export const startSceneAlone = async (): Promise<AloneScene> => sceneIn(await startInputWorld(), {})

export type ApartScene = Scene<AnyWorld & { readonly ingest: Service }>

type AnyWorld = Omit<SharedWorld, 'output'>

export async function sceneIn<World extends AnyWorld>(
  world: World,
  { contracts = ['clickstream'] }: SceneOptions,
): Promise<Scene<World>> {
  try {
    const account = await signUp(world.auth.url)
    for (const contract of contracts) await account.contract(contract)
    const input = await account.input('in')
    const token = await account.token(input)
    const clients = {
      'HTTP/2': await connect['HTTP/2'](world.ingest.url),
      'HTTP/1.1': await connect['HTTP/1.1'](world.ingest.url),
    }
    const reader = createTopicReader(world.env)
    const stop = async (): Promise<void> => {
      for (const client of Object.values(clients)) client.close()
      await reader.close()
      await world.stop()
    }
    return { world, account, input, token, clients, reader, stop }
  } catch (error) {
    await world.stop()
    throw error
  }
}

export const bearer = (token: string): Header => ['authorization', `Bearer ${token}`]
export const schema = (id: string): Header => ['svc-schema-id', id]

/** Returns an example event as JSON, with some fields replaced. */
export async function eventOf(name: ExampleContract, parts: object = {}): Promise<string> {
  return JSON.stringify({ ...(await exampleEvent(name)), ...parts })
}

export async function goodRequest(token: string, parts: object = {}): Promise<Required<Sent>> {
  return {
    method: 'POST',
    path: '/event',
    headers: [bearer(token), schema('clickstream')],
    body: await eventOf('clickstream', parts),
  }
}

/** Checks the status, the code and, if given, the whole body. */
export function expectRefusal(answer: Answer, status: number, code: string, body?: string): void {
  expect([answer.status, answer.header('svc-error'), answer.body]).toEqual([
    status,
    code,
    body ?? answer.body,
  ])
  expect(answer.header('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.body).not.toBe('')
  if (body === undefined) expect(answer.body).not.toMatch(/[\r\n]/) // one line
}

export type Refusal = readonly [status: number, code: string, sentence?: string | undefined]

/** Expects the same response over both protocols. */
export async function expectRefusedByBoth(
  { clients }: Pick<Scene, 'clients'>,
  request: Sent,
  [status, code, sentence]: Refusal,
): Promise<void> {
  for (const protocol of protocols)
    expectRefusal(await clients[protocol].send(request), status, code, sentence)
}

export function expectAccepted(answer: Answer): void {
  expect([answer.status, answer.header('svc-error'), answer.body]).toEqual([204, undefined, ''])
}

// Connections to a test's brokers, with the public parts of @platformatic/kafka and none of the code of src, because
// these tests check Kafka's behaviour. `leader`, `coordinator` and `topicId` are retried for a minute.
import { Connection, findCoordinatorV4, metadataV12 } from '@platformatic/kafka'

import { pollUntil } from '@weir/kit'

import { uniqueName } from '../support.ts'

export type Place = { readonly topic: string; readonly partition: number }

export type Cluster = {
  /** A connection to the broker at this address. Opens a new one if the last has ended. */
  at(address: string): Promise<Connection>
  leader(place: Place): Promise<Connection>
  coordinator(kind: 'group' | 'transaction', key: string): Promise<Connection>
  topicId(topic: string): Promise<string>
  close(): Promise<void>
}

const GROUP = 0
const TRANSACTION = 1

const PATIENCE_MS = 60_000

export function openCluster(brokers: readonly string[], clientId = 'broker-promises'): Cluster {
  const connections = new Map<string, Connection>()

  async function at(address: string): Promise<Connection> {
    const known = connections.get(address)
    if (known?.isConnected()) return known
    const connection = await connectTo(address, clientId)
    connections.set(address, connection)
    return connection
  }

  const anyBroker = () => firstOf(brokers, at)

  async function metadata(topic: string) {
    const response = await metadataV12.api.async(await anyBroker(), [topic], false, false)
    const addresses = response.brokers.map(
      ({ nodeId, host, port }) => [nodeId, `${host}:${port}`] as const,
    )
    return { found: response.topics[0], addresses: new Map(addresses) }
  }

  return {
    at,
    leader: ({ topic, partition }) =>
      eventually(`a leader of ${topic}`, async () => {
        const { found, addresses } = await metadata(topic)
        const one = found?.partitions.find(({ partitionIndex }) => partitionIndex === partition)
        return at(addresses.get(one?.leaderId ?? -1) ?? 'none')
      }),
    coordinator: (kind, key) =>
      eventually(`a coordinator of ${key}`, async () => {
        const type = kind === 'group' ? GROUP : TRANSACTION
        const { coordinators } = await findCoordinatorV4.api.async(await anyBroker(), type, [key])
        return at(`${coordinators[0]?.host ?? ''}:${coordinators[0]?.port ?? 0}`)
      }),
    topicId: (topic) =>
      eventually(`the id of ${topic}`, async () => (await metadata(topic)).found?.topicId ?? ''),
    async close() {
      for (const connection of connections.values()) await connection.close()
    },
  }
}

/** Opens a separate connection, for tests that end it. */
export async function connectTo(address: string, clientId: string): Promise<Connection> {
  const [host = '', port] = address.split(':')
  const connection = new Connection(clientId, { maxInflights: 100, requestTimeout: PATIENCE_MS })
  // Without a listener, a failing broker would end the test's process.
  connection.on('error', () => undefined)
  await connection.connect(host, Number(port))
  return connection
}

async function firstOf(
  brokers: readonly string[],
  at: (address: string) => Promise<Connection>,
): Promise<Connection> {
  const errors: unknown[] = []
  for (const address of brokers) {
    try {
      return await at(address)
    } catch (error) {
      errors.push(error)
    }
  }
  throw new AggregateError(errors, 'no broker answers')
}

/** Repeats `attempt` for a minute until it succeeds, and returns the result. */
export async function eventually<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  let last: unknown
  const look = () =>
    attempt()
      .then((value) => ({ value }))
      .catch((error: unknown) => {
        last = error
        return undefined
      })
  try {
    return (await pollUntil(look, { deadlineMs: PATIENCE_MS, everyMs: 10, what })).value
  } catch (error) {
    throw new AggregateError([error, last], `${what}: ${errorName(last)}`)
  }
}

/** Returns Kafka's name for the error of this request, or NONE if the request succeeded. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request
    return 'NONE'
  } catch (error) {
    return errorName(error)
  }
}

export function errorName(error: unknown): string {
  if (error instanceof AggregateError) return errorName(error.errors[0])
  const id: unknown = error instanceof Error ? Object.entries(error).find(isId)?.[1] : undefined
  return typeof id === 'string' ? id : String(error)
}

const isId = ([name]: [string, unknown]): boolean => name === 'apiId'

export const newTransactionalId = (): string => uniqueName('owner')

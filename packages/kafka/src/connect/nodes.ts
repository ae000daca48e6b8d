// Finds the addresses of brokers, in the settings and in the latest response of a broker. Any reachable broker knows
// the addresses of all others.
import { ProtocolError, metadataV12 } from '#client-library'

import type { Address, BrokerConnection } from './broker-connection.ts'
import { answerWithFaults, toClusterState } from './cluster-state.ts'
import type { ClusterState } from './cluster-state.ts'
import type { Connections, Purpose } from './connections.ts'
import { requestOf } from './requests.ts'

type ConnectOptions = { readonly purpose: Purpose; readonly untilMs: number }

/** `at`: the broker to ask, by default any. */
export type DescribeOptions = { readonly untilMs: number; readonly at?: number | undefined }

export type Nodes = {
  connect(target: number | 'any', options: ConnectOptions): Promise<BrokerConnection>
  describe(topics: readonly string[], options: DescribeOptions): Promise<ClusterState>
  learn(node: Address & { readonly nodeId: number }): void
}

export function createNodes(seeds: readonly Address[], connections: Connections): Nodes {
  const addresses = new Map<number, Address>()

  async function connect(
    target: number | 'any',
    { purpose, untilMs }: ConnectOptions,
  ): Promise<BrokerConnection> {
    if (target === 'any')
      return connectToAny(connections, [...addresses.values(), ...seeds], purpose)
    if (!addresses.has(target)) await describe([], { untilMs })
    const address = addresses.get(target)
    if (address === undefined) throw new ProtocolError('LEADER_NOT_AVAILABLE')
    try {
      return await connections.open(address, purpose)
    } catch (error) {
      // The broker may have moved. The other brokers have its new address.
      addresses.delete(target)
      throw error
    }
  }

  async function describe(
    topics: readonly string[],
    { at, untilMs }: DescribeOptions,
  ): Promise<ClusterState> {
    const connection = await connect(at ?? 'any', { purpose: 'control', untilMs })
    const request = requestOf(metadataV12.api, [...topics], false, false)
    const answer = await connection
      .send(request, untilMs)
      .catch(answerWithFaults<metadataV12.MetadataResponse>)
    addresses.clear()
    answer.brokers.forEach(learn)
    // Otherwise a broker whose address in the settings differs from its advertised address would get two connections.
    if (addresses.size > 0) connections.keepOnly([...addresses.values()])
    return toClusterState(answer)
  }

  function learn({ nodeId, host, port }: Address & { readonly nodeId: number }): void {
    addresses.set(nodeId, { host, port })
  }

  return { connect, describe, learn }
}

async function connectToAny(
  connections: Connections,
  known: readonly Address[],
  purpose: Purpose,
): Promise<BrokerConnection> {
  const open = known.find((address) => connections.isOpen(address, purpose))
  if (open) return connections.open(open, purpose)
  let failure: unknown
  for (const address of inAnyOrder(known)) {
    try {
      return await connections.open(address, purpose)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function inAnyOrder<Item>(items: readonly Item[]): Item[] {
  const places = items.map((item) => ({ item, place: Math.random() }))
  return places.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

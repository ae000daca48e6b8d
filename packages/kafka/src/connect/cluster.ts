// Sends a request to a broker, to the controller, or to the coordinator of a group or transactional id. Caches a
// coordinator until it has moved or is unreachable. Caches no partition leaders: callers ask for the topics that they
// need, so that a missing topic doesn't affect other topics.
import { ProtocolError, findCoordinatorV4 } from '#client-library'

import type { Address } from './broker-connection.ts'
import type { ClusterState } from './cluster-state.ts'
import type { Connections, Purpose } from './connections.ts'
import { isFromBroker, protocolTypeOf } from './faults.ts'
import { createNodes } from './nodes.ts'
import type { DescribeOptions, Nodes } from './nodes.ts'
import { requestOf } from './requests.ts'
import type { BrokerRequest } from './requests.ts'

/** A broker by its id or its role. */
export type Target =
  | number
  | 'any'
  | 'controller'
  | { readonly group: string }
  | { readonly transactionalId: string }

/** A request that still waits at `untilMs` (of `performance.now`) isn't sent. */
export type AskOptions = { readonly purpose: Purpose; readonly untilMs: number }

export type Cluster = {
  /** Sends the request once. The caller may retry after a retriable error (`isRetriable`). */
  ask<Answer>(target: Target, request: BrokerRequest<Answer>, options: AskOptions): Promise<Answer>
  /** Returns what one broker reports now about the brokers and these topics. */
  describe(topics: readonly string[], options: DescribeOptions): Promise<ClusterState>
  /**
   * Registers a user of the handle, and returns a function that ends the use. After the last use, all connections end.
   */
  join(): () => void
}

const KEY_TYPE = { group: 0, transaction: 1 }
const COORDINATORS_MAX = 10_000
const MOVED: readonly string[] = ['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE']

export function createCluster(seeds: readonly Address[], connections: Connections): Cluster {
  const nodes = createNodes(seeds, connections)
  const coordinators = createCoordinators(nodes)
  let users = 0

  async function brokerFor(target: Target, untilMs: number): Promise<number | 'any'> {
    if (target === 'any' || typeof target === 'number') return target
    if (target === 'controller') return (await nodes.describe([], { untilMs })).controller
    return coordinators.find(target, untilMs)
  }

  return {
    async ask(target, request, { purpose, untilMs }) {
      try {
        const broker = await brokerFor(target, untilMs)
        const connection = await nodes.connect(broker, { purpose, untilMs })
        return await connection.send(request, untilMs)
      } catch (error) {
        const isMissed = !isFromBroker(error) || MOVED.includes(protocolTypeOf(error) ?? '')
        if (isMissed && typeof target === 'object') coordinators.forget(target)
        throw error
      }
    },
    describe: nodes.describe,
    join() {
      users += 1
      return () => {
        users -= 1
        if (users === 0) connections.close()
      }
    },
  }
}

type Coordinated = Extract<Target, object>

function createCoordinators(nodes: Nodes) {
  const known = new Map<string, number>()

  return {
    async find(target: Coordinated, untilMs: number): Promise<number> {
      const { type, id, name } = keyOf(target)
      const before = known.get(name)
      if (before !== undefined) return before
      const connection = await nodes.connect('any', { purpose: 'control', untilMs })
      const request = requestOf(findCoordinatorV4.api, KEY_TYPE[type], [id])
      const [found] = (await connection.send(request, untilMs)).coordinators
      if (found === undefined) throw new ProtocolError('COORDINATOR_NOT_AVAILABLE')
      nodes.learn(found)
      if (known.size >= COORDINATORS_MAX) known.clear()
      known.set(name, found.nodeId)
      return found.nodeId
    },
    forget: (target: Coordinated) => known.delete(keyOf(target).name),
  }
}

function keyOf(target: Coordinated) {
  const [type, id] =
    'group' in target
      ? (['group', target.group] as const)
      : (['transaction', target.transactionalId] as const)
  return { type, id, name: `${type} ${id}` }
}

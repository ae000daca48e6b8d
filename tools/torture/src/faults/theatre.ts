// The objects that faults affect.
import type { OwnBroker } from '@weir/devstack'
import type { Position } from '@weir/kafka'

import type { Account } from '@weir/testkit'
import type { TorturePeople } from '../people.ts'
import type { TestOutput, TortureStreams } from '../streams.ts'
import type { Fleet } from '../world/fleet.ts'
import type { Operate } from '../world/operate.ts'
import type { Ways } from '../world/slots.ts'
import type { Strangers } from '../world/strangers.ts'
import type { Topics } from '../world/topics.ts'
import type { StreamTokens } from '../world/tokens.ts'

export type Theatre = {
  /** One broker, or a cluster of three. */
  brokers: readonly OwnBroker[]
  fleet: Fleet
  ways: Ways
  topics: Topics
  streams: TortureStreams
  tokens: StreamTokens
  people: TorturePeople
  /** How far the services' clocks are ahead of the brokers' clocks. */
  clockShiftMs: number
  strangers: Strangers
  operate: Operate
  /** Positions that other clients will commit again, by name of the derived stream. */
  formerPositions: Map<string, readonly Position[]>
  /** Uses auth's current address. Its calls fail while auth is down. */
  account(): Account
  /** Checks a derived stream. Call before its deletion or rebuild, which remove its records. */
  farewell(stream: TestOutput): Promise<void>
}

// What faults act upon.
import type { OwnBroker } from '@weir/devstack'
import type { Position } from '@weir/kafka'

import type { Account } from '@weir/testkit'
import type { People } from '../people.ts'
import type { DerivedStream, Streams } from '../streams.ts'
import type { Fleet } from '../world/fleet.ts'
import type { Ways } from '../world/slots.ts'
import type { Strangers } from '../world/strangers.ts'
import type { Topics } from '../world/topics.ts'
import type { Tokens } from '../world/tokens.ts'

export type Theatre = {
  /** One, or a cluster of three. */
  brokers: readonly OwnBroker[]
  fleet: Fleet
  ways: Ways
  topics: Topics
  streams: Streams
  tokens: Tokens
  people: People
  /** How far the services' clocks are ahead of the brokers'. */
  clockShiftMs: number
  strangers: Strangers
  /** By name of a derived stream, what strangers will commit again. */
  formerPositions: Map<string, readonly Position[]>
  /** Spoken to where auth is now; its calls fail while that is nowhere. */
  account(): Account
  /** Asked before a derived stream is deleted: it can't be checked afterwards. */
  farewell(stream: DerivedStream): Promise<void>
}

// Types of an account's streams, outputs and contracts.
import type { Json } from './json.ts'

export type Input = {
  readonly name: string
  readonly enabled: boolean
  readonly topic: string
  readonly partitions: number
  readonly kept: Kept
  readonly rotationHours: number
  readonly keyRetentionDays: number
  readonly eventRate: string
  readonly eventCount: string
  /** The periods, in ISO 8601, whose accepted requests a restore may have undone. */
  readonly erasuresLost: readonly { readonly since: string; readonly until: string }[]
  readonly outputs: readonly Output[]
}

/** How long Kafka keeps the events: hours, or the broker's default. */
export type Kept = number | 'broker'

export type LevelType = 'CUMULATIVE' | 'GRANULAR'

export type Output = {
  readonly name: string
  readonly input: string
  readonly enabled: boolean
  readonly topic: string
  readonly kept: Kept
  readonly levels: readonly number[]
  readonly tags: readonly string[]
  readonly type: LevelType
  /** The last rebuild: `running`, then the time when the old events were deleted. Empty without a rebuild. */
  readonly rebuild: string
  /** How long its readers may keep keys; undefined if Weir decrypts. */
  readonly keyMaxAgeSeconds: number | undefined
}

export type Validation = { readonly field: string; readonly pattern: string }

export type Contract = {
  readonly id: string
  readonly status: string
  readonly schema: Json
  readonly subject: string
  readonly validations: readonly Validation[]
  readonly keyField: string
  /** The levels of the personal fields, by path. */
  readonly levels: ReadonlyMap<string, number>
  readonly subjectField: string
}

export type Purpose = {
  readonly name: string
  readonly title: string
  readonly level: number
}

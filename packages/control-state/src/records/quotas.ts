// What the platform lets an account have and do, whatever the account itself may set. An account's record has those that were set
// for it; the others are these.

export const defaultQuotas = {
  /** Input streams. */
  streams: 100,
  /** Derived streams. */
  outputs: 200,
  /** Of all its streams, input and derived. */
  partitions: 2_000,
  contracts: 1_000,
  /** Of all its streams. */
  credentials: 2_000,
  /** Values and pseudonyms, while the records of their erasures are kept. */
  erasedLinks: 1_000_000,
  /** Data subjects that are looked for at the same time, by each replica. */
  lookUps: 2,
  /** Requests of management in a minute, by each replica. */
  requestsPerMinute: 6_000,
  /** What it may set as `eventRate` of a stream. */
  eventRate: 999_999_999_999_999,
  /** What it may set as `eventCount` of a stream. */
  eventCount: 999_999_999_999_999,
} as const

export type QuotaName = keyof typeof defaultQuotas
export type Quotas = Readonly<Record<QuotaName, number>>

export const quotasOf = ({ quotas }: { readonly quotas?: Partial<Quotas> }): Quotas => ({
  ...defaultQuotas,
  ...quotas,
})

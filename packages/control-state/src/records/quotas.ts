// The platform's limits for an account, which the account itself can't change. The account's record contains the quotas
// that were set. All other quotas have these defaults.

export const defaultQuotas = {
  /** Input streams. */
  streams: 100,
  /** Derived streams. */
  outputs: 200,
  /** All streams of the account, input and derived. */
  partitions: 2_000,
  contracts: 1_000,
  /** All streams of the account. */
  credentials: 2_000,
  /** Erased values and pseudonyms, counted as long as the records of their erasures exist. */
  erasedLinks: 1_000_000,
  /** Concurrent searches for data subjects, per replica. */
  lookUps: 2,
  /** Management requests per minute, per replica. */
  requestsPerMinute: 6_000,
  /** The maximum `eventRate` that the account may set for a stream. */
  eventRate: 999_999_999_999_999,
  /** The maximum `eventCount` that the account may set for a stream. */
  eventCount: 999_999_999_999_999,
} as const

export type QuotaName = keyof typeof defaultQuotas
export type Quotas = Readonly<Record<QuotaName, number>>

/** Returns an object with a value for each quota. Unlike Object.fromEntries, keeps the type of the keys. */
export const forEachQuota = <Value>(valueOf: (name: QuotaName) => Value) =>
  Object.fromEntries(
    (Object.keys(defaultQuotas) as QuotaName[]).map((name) => [name, valueOf(name)]),
  ) as Record<QuotaName, Value>

export const quotasOf = ({ quotas }: { readonly quotas?: Partial<Quotas> }): Quotas => ({
  ...defaultQuotas,
  ...quotas,
})

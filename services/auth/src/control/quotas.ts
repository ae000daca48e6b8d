// An account's quotas. Only existing objects count, so a deletion makes room. If a quota is lowered, an account keeps
// the objects above it.
import { accountKey, act, quotasOf, requireAccount, streamKey } from '@weir/control-state'
import type {
  AccountRecord,
  Contracts,
  Draft,
  Erasures,
  Limits,
  QuotaName,
  Quotas,
  Streams,
} from '@weir/control-state'
import type { Refusal } from '@weir/http-api'
import { refusal } from '../errors.ts'
import type { Changes } from './changes.ts'
import { erasedValuesOf } from './erasure/erasure-bound.ts'

type Counted = Streams & Contracts & Erasures
/** The numbers of objects that the quotas limit. */
export type Used = Readonly<
  Record<'streams' | 'outputs' | 'partitions' | 'contracts' | 'credentials' | 'erasedLinks', number>
>

export function usedBy(state: Counted, billingId: string): Used {
  const streams = [...state.streamsOf(billingId)]
  const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
    items.reduce((total, item) => total + of(item), 0)
  const outputs = streams.filter(({ kind }) => kind === 'derived').length
  return {
    streams: streams.length - outputs,
    outputs,
    partitions: sum(streams, ({ partitions }) => partitions),
    contracts: [...state.contractsOf(billingId)].length,
    credentials: sum(streams, ({ credentials }) => credentials.length),
    erasedLinks: erasedValuesOf(state, billingId),
  }
}

/**
 * Checks whether the account may have so many more objects.
 * @throws Refusal `quota_exceeded`
 */
export function requireQuota(state: Counted, account: AccountRecord, more: Partial<Used>): void {
  const quotas = quotasOf(account)
  const used = usedBy(state, account.billingId)
  for (const [name, count] of entriesOf(more))
    if (used[name] + count > quotas[name])
      throw exceeded(name, `The account has ${used[name]} and may have ${quotas[name]}`)
}

/** Checks a stream's limits. @throws Refusal `quota_exceeded` */
export function requireLimits(account: AccountRecord, limits: Partial<OptionalLimits>): void {
  const quotas = quotasOf(account)
  for (const name of ['eventRate', 'eventCount'] as const)
    if (Number(limits[name] ?? 0) > quotas[name])
      throw exceeded(name, `A stream of the account may have at most ${quotas[name]}`)
}

type OptionalLimits = { readonly [Name in keyof Limits]: Limits[Name] | undefined }

export const exceeded = (name: QuotaName, sentence: string): Refusal =>
  refusal(
    'quota_exceeded',
    `${sentence} (quota ${name}). Delete what is not needed, or ask the operators of Weir to raise the quota`,
  )

/** Quotas that aren't named get their defaults. Stream limits above the new quotas are lowered. */
export function setQuotas(
  deps: Changes,
  billingId: string,
  quotas: Partial<Quotas>,
): Promise<AccountRecord> {
  const what = act(deps, 'account.quotas', { account: billingId, quotas })
  return deps.writer.change(what, (draft) => {
    const account = { ...requireAccount(draft, billingId), quotas }
    draft.put(accountKey(billingId), account)
    lowerLimits(draft, account)
    return account
  })
}

function lowerLimits(draft: Draft, account: AccountRecord): void {
  const { eventRate, eventCount } = quotasOf(account)
  for (const stream of draft.streamsOf(account.billingId)) {
    if (stream.kind !== 'input') continue
    const limits = {
      eventRate: atMost(stream.limits.eventRate, eventRate),
      eventCount: atMost(stream.limits.eventCount, eventCount),
    }
    if (
      limits.eventRate !== stream.limits.eventRate ||
      limits.eventCount !== stream.limits.eventCount
    )
      draft.put(streamKey(stream.billingId, stream.name), { ...stream, limits })
  }
}

const atMost = (limit: string, most: number): string =>
  Number(limit) > most ? String(most) : limit

/** Needed because Object.entries does not keep the type of the keys. */
const entriesOf = (more: Partial<Used>) => Object.entries(more) as [keyof Used, number][]

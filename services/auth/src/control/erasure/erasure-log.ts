// Writes `weir.erasures`: each erasure and each removal of keys, in the transaction of the change, so that a restore
// can apply them again. The entries are encrypted by a separate wrapping key. This key is also written with each entry,
// wrapped by the KEK of `link`, because the log must be readable after the loss of `weir.keys`.
import { keyVersionOf, unwrapPart, wrapPart } from '@weir/fieldcrypt'
import {
  ERASURE_LOG_KEY,
  erasuresTopic,
  loggedErasureKey,
  loggedRemovalKey,
  loggedValue,
  parseLogged,
  wrappingKeyId,
} from '@weir/control-state'
import type {
  Draft,
  ErasureRecord,
  LoggedCuts,
  LoggedEntry,
  StateFollower,
} from '@weir/control-state'
import { AppError } from '@weir/kit'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import type { Cut } from './puncture-terms.ts'

export type Logging = { readonly wrappingKeys: Pick<WrappingKeys, 'current'> }

const LINK_BYTES = 8
/** An entry with so many cuts has about 110 kB. */
const cutsInEntry = 10_000

/**
 * Logs an erasure. `record` is its record before the first link is removed. Call in a change with the wrapping key
 * `ERASURE_LOG_KEY`.
 */
export function logErasure(
  deps: Logging,
  draft: Draft,
  { record, cuts }: { record: ErasureRecord; cuts: readonly Cut[] },
): void {
  for (let at = 0; at === 0 || at < cuts.length; at += cutsInEntry) {
    const entry = { record, cuts: loggedCuts(cuts.slice(at, at + cutsInEntry)) }
    const key = loggedErasureKey(record, at / cutsInEntry)
    logEntry(deps, draft, key, { type: 'logged-erasure', ...entry })
  }
}

/** Logs the removal of an era's keys, or, without `era`, of all keys of a deleted stream. */
export function logRemoval(
  deps: Logging,
  draft: Draft,
  stream: { readonly billingId: string; readonly streamId: string; readonly era?: number },
): void {
  const { streamId, era } = stream
  const removed = era === undefined ? { streamId } : { streamId, era }
  logEntry(deps, draft, loggedRemovalKey(stream, era), { type: 'logged-removal', ...removed })
}

function logEntry({ wrappingKeys }: Logging, draft: Draft, key: string, entry: LoggedEntry): void {
  const current = wrappingKeys.current(ERASURE_LOG_KEY)
  const keyId = wrappingKeyId(ERASURE_LOG_KEY, current.keyVersion)
  const wrapped = draft.keys.get(keyId)
  if (wrapped !== undefined) draft.log(keyId, wrapped)
  const recordKey = addressOf(key)
  draft.log(key, wrapPart({ ...current, recordKey, plain: loggedValue(entry) }))
}

const addressOf = (key: string): string => `${erasuresTopic}/${key}`

/**
 * Decrypts an entry.
 * @throws AppError `backup.entry_unreadable`
 */
export function openLogged(
  { wrappingKeys }: Pick<StateFollower, 'wrappingKeys'>,
  { key, value }: { readonly key: string; readonly value: Buffer },
): LoggedEntry {
  try {
    const wrappingKey = wrappingKeys.key(ERASURE_LOG_KEY, keyVersionOf(value))
    if (wrappingKey === undefined) throw new Error('its wrapping key is missing')
    return parseLogged(key, unwrapPart({ wrappingKey, recordKey: addressOf(key), value }))
  } catch (cause) {
    const sentence = `the entry ${key} of ${erasuresTopic} cannot be decrypted`
    throw new AppError('backup.entry_unreadable', sentence, { cause })
  }
}

function loggedCuts(cuts: readonly Cut[]): LoggedCuts[] {
  const terms = new Map<number, Uint8Array[]>()
  for (const { term, link } of cuts) terms.set(term, [...(terms.get(term) ?? []), link])
  return [...terms].map(([term, links]) => ({
    term,
    links: Buffer.concat(links).toString('base64'),
  }))
}

export const cutsInLogged = (cuts: readonly LoggedCuts[]): Cut[] =>
  cuts.flatMap(({ term, links }) => {
    const bytes = Buffer.from(links, 'base64')
    return Array.from({ length: Math.floor(bytes.length / LINK_BYTES) }, (_, at) => ({
      term,
      link: Uint8Array.from(bytes.subarray(at * LINK_BYTES, (at + 1) * LINK_BYTES)),
    }))
  })

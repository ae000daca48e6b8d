// Look-ups by values in requests, such as the hash of an API key. Each kind of record has one or two Maps, which `add`
// and `remove` keep consistent with the tables.
import type {
  ContractRecord,
  ControlRecord,
  Credential,
  ErasureRecord,
  KeyHolder,
  SigningKeyRecord,
  StreamRecord,
} from '../records/records.ts'
import type { SearchRecord } from '../records/people-records.ts'

export type CredentialHolder = { readonly stream: StreamRecord; readonly credential: Credential }

export type Index = {
  add(record: ControlRecord): void
  remove(record: ControlRecord): void
  clear(): void
}

/** Finds API keys by their hash. The caller must check whether the key has expired. */
export function indexApiKeys(): Index & { apiKey(hash: string): KeyHolder | undefined } {
  const holders = new Map<string, KeyHolder>()
  return {
    apiKey: (hash) => holders.get(hash),
    add(record) {
      if (record.type !== 'account') return
      for (const apiKey of record.apiKeys) holders.set(apiKey.hash, { account: record, apiKey })
    },
    remove(record) {
      if (record.type === 'account') for (const { hash } of record.apiKeys) holders.delete(hash)
    },
    clear: () => holders.clear(),
  }
}

export function indexSigningKeys(): Index & {
  signingKey(kid: string): SigningKeyRecord | undefined
} {
  const byKid = new Map<string, SigningKeyRecord>()
  return {
    signingKey: (kid) => byKid.get(kid),
    add(record) {
      if (record.type === 'signing-key') byKid.set(record.kid, record)
    },
    remove(record) {
      if (record.type === 'signing-key') byKid.delete(record.kid)
    },
    clear: () => byKid.clear(),
  }
}

export type StreamIndex = {
  credential(clientId: string): CredentialHolder | undefined
  streamById(streamId: string): StreamRecord | undefined
  streams(): IterableIterator<StreamRecord>
}

export function indexStreams(): Index & StreamIndex {
  const byId = new Map<string, StreamRecord>()
  const byClientId = new Map<string, CredentialHolder>()
  return {
    credential: (clientId) => byClientId.get(clientId),
    streamById: (streamId) => byId.get(streamId),
    streams: () => byId.values(),
    add(record) {
      if (record.type !== 'stream') return
      byId.set(record.streamId, record)
      for (const credential of record.credentials)
        byClientId.set(credential.clientId, { stream: record, credential })
    },
    remove(record) {
      if (record.type !== 'stream') return
      if (byId.get(record.streamId) === record) byId.delete(record.streamId)
      for (const { clientId } of record.credentials) byClientId.delete(clientId)
    },
    clear() {
      byId.clear()
      byClientId.clear()
    },
  }
}

export type ContractIndex = {
  contract(billingId: string, id: string): ContractRecord | undefined
  /** The contracts of all accounts. */
  contracts(): Iterable<ContractRecord>
}

export function indexContracts(): Index & ContractIndex {
  const byAccount = new Map<string, Map<string, ContractRecord>>()
  return {
    contract: (billingId, id) => byAccount.get(billingId)?.get(id),
    *contracts() {
      for (const records of byAccount.values()) yield* records.values()
    },
    add(record) {
      if (record.type !== 'contract') return
      const ofAccount = byAccount.get(record.billingId) ?? new Map<string, ContractRecord>()
      byAccount.set(record.billingId, ofAccount.set(record.id, record))
    },
    remove(record) {
      if (record.type === 'contract') byAccount.get(record.billingId)?.delete(record.id)
    },
    clear: () => byAccount.clear(),
  }
}

export type ErasureIndex = {
  /** All erasures that are not complete yet. */
  pendingErasures(): ErasureRecord[]
  /** The pending erasures that have links to remove, usually few. */
  unfinishedErasures(): ErasureRecord[]
  /** By billingId: the number of values that count for ERASURES_MAX. */
  erasedValues(): ReadonlyMap<string, number>
}

export function indexErasures(): Index & ErasureIndex {
  const pending = new Map<string, ErasureRecord>()
  const unfinished = new Map<string, ErasureRecord>()
  const counts = new Map<string, number>()
  const count = (billingId: string, more: number): void => {
    const counted = (counts.get(billingId) ?? 0) + more
    if (counted === 0) counts.delete(billingId)
    else counts.set(billingId, counted)
  }
  return {
    pendingErasures: () => [...pending.values()],
    unfinishedErasures: () => [...unfinished.values()],
    erasedValues: () => counts,
    add(record) {
      if (record.type !== 'erasure') return
      if (record.complete === undefined) pending.set(record.erasureId, record)
      if (record.rest !== undefined) unfinished.set(record.erasureId, record)
      count(record.billingId, record.counted)
    },
    remove(record) {
      if (record.type !== 'erasure') return
      pending.delete(record.erasureId)
      unfinished.delete(record.erasureId)
      count(record.billingId, -record.counted)
    },
    clear() {
      pending.clear()
      unfinished.clear()
      counts.clear()
    },
  }
}

export type SearchIndex = {
  /** The searches of all accounts. */
  searches(): Iterable<SearchRecord>
}

export function indexSearches(): Index & SearchIndex {
  const byHash = new Map<string, SearchRecord>()
  return {
    searches: () => byHash.values(),
    add(record) {
      if (record.type === 'search') byHash.set(record.searchHash, record)
    },
    remove(record) {
      if (record.type === 'search') byHash.delete(record.searchHash)
    },
    clear: () => byHash.clear(),
  }
}

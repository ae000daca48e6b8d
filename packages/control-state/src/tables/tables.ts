// The in-memory tables that follow `weir.control`: every record by key, by folder, and by what
// requests arrive with (client id, API key, stream id). Plain Maps, changed by `apply` alone.
import type {
  AccountRecord,
  ApiKeyRecord,
  ContractRecord,
  ControlRecord,
  Credential,
  ErasureRecord,
  InputStream,
  StreamRecord,
} from '../records/records.ts'
import { folderOf, stateOver } from './state.ts'
import type { RecordStore, State } from './state.ts'

/** An API key that is good now, and the account it belongs to. */
export type KeyHolder = { readonly account: AccountRecord; readonly apiKey: ApiKeyRecord }

export type Tables = State & {
  /** What the tables hold, for a writer's draft. */
  readonly store: RecordStore
  /** By the hash of the key; whether it has expired is for the caller to see. */
  apiKey(hash: string): KeyHolder | undefined
  credential(clientId: string): { stream: StreamRecord; credential: Credential } | undefined
  streamById(streamId: string): StreamRecord | undefined
  inputOf(stream: {
    billingId: string
    linkedStream: string
    linkedStreamId: string
  }): InputStream | undefined
  streams(): IterableIterator<StreamRecord>
  /** Of all accounts. */
  contracts(): Iterable<ContractRecord>
  /** The erasures of all streams that are not complete yet. */
  pendingErasures(): ErasureRecord[]
  /** By account, what counts against ERASURES_MAX. */
  erasedValues(): ReadonlyMap<string, number>
}

export function createTables(): Tables & {
  apply(key: string, record: ControlRecord | null): void
  clear(): void
} {
  const folders = new Map<string, Map<string, ControlRecord>>()
  const holders = new Map<string, KeyHolder>()
  const streamsByClientId = new Map<string, { stream: StreamRecord; credential: Credential }>()
  const streamsById = new Map<string, StreamRecord>()
  const contractsOf = new Map<string, Map<string, ContractRecord>>()
  const pending = new Map<string, ErasureRecord>()
  const erasedValues = new Map<string, number>()

  const store: RecordStore = {
    get: (key) => folders.get(folderOf(key))?.get(key),
    folder: (prefix) => folders.get(prefix) ?? [],
  }
  const state = stateOver(store)

  const countErased = (billingId: string, more: number): void => {
    const count = (erasedValues.get(billingId) ?? 0) + more
    if (count === 0) erasedValues.delete(billingId)
    else erasedValues.set(billingId, count)
  }
  const unindex = (record: ControlRecord): void => {
    if (record.type === 'account') for (const { hash } of record.apiKeys) holders.delete(hash)
    if (record.type === 'contract') contractsOf.get(record.billingId)?.delete(record.id)
    if (record.type === 'erasure') {
      pending.delete(record.erasureId)
      countErased(record.billingId, -record.counted)
    }
    if (record.type === 'stream') {
      if (streamsById.get(record.streamId) === record) streamsById.delete(record.streamId)
      for (const { clientId } of record.credentials) streamsByClientId.delete(clientId)
    }
  }
  const index = (record: ControlRecord): void => {
    if (record.type === 'account')
      for (const apiKey of record.apiKeys) holders.set(apiKey.hash, { account: record, apiKey })
    if (record.type === 'contract') {
      const ofAccount = contractsOf.get(record.billingId) ?? new Map<string, ContractRecord>()
      contractsOf.set(record.billingId, ofAccount.set(record.id, record))
    }
    if (record.type === 'erasure') {
      if (record.complete === undefined) pending.set(record.erasureId, record)
      countErased(record.billingId, record.counted)
    }
    if (record.type === 'stream') {
      streamsById.set(record.streamId, record)
      for (const credential of record.credentials)
        streamsByClientId.set(credential.clientId, { stream: record, credential })
    }
  }

  return {
    ...state,
    store,
    contract: (billingId, id) => contractsOf.get(billingId)?.get(id),
    apiKey: (hash) => holders.get(hash),
    credential: (clientId) => streamsByClientId.get(clientId),
    streamById: (streamId) => streamsById.get(streamId),
    inputOf: ({ billingId, linkedStream, linkedStreamId }) => {
      const stream = state.stream(billingId, linkedStream)
      return stream?.kind === 'input' && stream.streamId === linkedStreamId ? stream : undefined
    },
    streams: () => streamsById.values(),
    *contracts() {
      for (const records of folders.values())
        for (const record of records.values()) if (record.type === 'contract') yield record
    },
    pendingErasures: () => [...pending.values()],
    erasedValues: () => erasedValues,
    apply(key, record) {
      const folder = folderOf(key)
      const before = folders.get(folder)?.get(key)
      if (before !== undefined) unindex(before)
      if (record === null) {
        folders.get(folder)?.delete(key)
        if (folders.get(folder)?.size === 0) folders.delete(folder)
        return
      }
      const inFolder = folders.get(folder) ?? new Map<string, ControlRecord>()
      folders.set(folder, inFolder.set(key, record))
      index(record)
    },
    clear() {
      const byStream = [streamsByClientId, streamsById, contractsOf, pending, erasedValues]
      for (const map of [folders, holders, ...byStream]) map.clear()
    },
  }
}

// The in-memory tables that follow `weir.control`: every record by key, by folder, and by values in requests. Only
// `apply` and `clear` change the tables.
import type { ControlRecord, InputStream, KeyHolder } from '../records/records.ts'
import {
  indexApiKeys,
  indexContracts,
  indexErasures,
  indexSearches,
  indexSigningKeys,
  indexStreams,
} from './indexes.ts'
import type { ContractIndex, ErasureIndex, SearchIndex, StreamIndex } from './indexes.ts'
import { folderOf, stateOver } from './state.ts'
import type { RecordStore, State } from './state.ts'

type Linked = {
  readonly billingId: string
  readonly linkedStream: string
  readonly linkedStreamId: string
}

/** All look-ups. */
export type Tables = State &
  StreamIndex &
  ContractIndex &
  ErasureIndex &
  SearchIndex & {
    /** The records, for a writer's draft. */
    readonly store: RecordStore
    apiKey(hash: string): KeyHolder | undefined
    inputOf(stream: Linked): InputStream | undefined
  }

export type FollowedTables = Tables & {
  apply(key: string, record: ControlRecord | null): void
  clear(): void
}

export function createTables(): FollowedTables {
  const { store, put, clear } = createFolders()
  const state = stateOver(store)
  const apiKeys = indexApiKeys()
  const streams = indexStreams()
  const contracts = indexContracts()
  const erasures = indexErasures()
  const searches = indexSearches()
  const signingKeys = indexSigningKeys()
  const indexes = [apiKeys, streams, contracts, erasures, searches, signingKeys]
  return {
    ...state,
    store,
    apiKey: apiKeys.apiKey,
    credential: streams.credential,
    streamById: streams.streamById,
    streams: streams.streams,
    contract: contracts.contract,
    contracts: contracts.contracts,
    pendingErasures: erasures.pendingErasures,
    unfinishedErasures: erasures.unfinishedErasures,
    erasedValues: erasures.erasedValues,
    searches: searches.searches,
    signingKey: signingKeys.signingKey,
    inputOf: ({ billingId, linkedStream, linkedStreamId }) => {
      const stream = state.stream(billingId, linkedStream)
      return stream?.kind === 'input' && stream.streamId === linkedStreamId ? stream : undefined
    },
    apply(key, record) {
      const before = put(key, record)
      if (before !== undefined) for (const { remove } of indexes) remove(before)
      if (record !== null) for (const { add } of indexes) add(record)
    },
    clear() {
      clear()
      for (const index of indexes) index.clear()
    },
  }
}

function createFolders() {
  const folders = new Map<string, Map<string, ControlRecord>>()
  const store: RecordStore = {
    get: (key) => folders.get(folderOf(key))?.get(key),
    folder: (prefix) => folders.get(prefix) ?? [],
  }
  return {
    store,
    /** Returns the replaced record, or undefined. */
    put(key: string, record: ControlRecord | null): ControlRecord | undefined {
      const name = folderOf(key)
      const folder = folders.get(name) ?? new Map<string, ControlRecord>()
      const before = folder.get(key)
      if (record === null) folder.delete(key)
      else folder.set(key, record)
      if (folder.size === 0) folders.delete(name)
      else folders.set(name, folder)
      return before
    },
    clear: () => folders.clear(),
  }
}

// Searches for people. `start` returns an id that gives access to the result. The result is a record of control state
// that exists for an hour, so any replica can respond. For an erasure, `now` searches while the caller waits.
import { createTurns, oneAtATime, withTimeout } from '@weir/kit'
import type { RangeReader } from '@weir/kafka'
import type { Log } from '@weir/kit'
import {
  act,
  newSecretId,
  partOf,
  requireAccount,
  requireInput,
  sealUnder,
  searchKey,
  secretHashOf,
} from '@weir/control-state'
import type { FoundInStream, InputStream, SearchRecord } from '@weir/control-state'
import type { Changes } from '../control/changes.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { refusal } from '../errors.ts'
import type { Wanted } from './person-links.ts'
import { placesOf, recordsIn, searchStream } from './search-stream.ts'
import type { SearchPlace, SearchDeps, Searched } from './search-stream.ts'

export type SearchRequest = {
  readonly billingId: string
  readonly value: string
  /** Names of input streams; undefined for all. */
  readonly streams: readonly string[] | undefined
}

export type Searches = {
  /**
   * Starts a search. Returns its id when the search is in the audit log.
   * @throws ControlStateError `control-state.not_found`; Refusal `quota_exceeded`
   */
  start(changes: Changes, request: SearchRequest): Promise<string>
  /**
   * Searches one stream while the caller waits.
   * @throws Refusal `not_searched` if the search would take long, `unavailable` if it isn't possible now
   */
  now(input: InputStream, wanted: Wanted): Promise<Searched>
  /** Removes the records of searches that are older than an hour. */
  expire(changes: Changes): Promise<void>
  close(): Promise<void>
}

type SearchesDeps = Omit<SearchDeps, 'inTurn' | 'subjects' | 'reader'> & {
  readonly reader: RangeReader
  readonly subjects: Pick<SubjectLog, 'links' | 'start'>
  readonly log: Log
}

export const searchKeptMs = 3_600_000
/** A search whose record was not updated for this time counts as failed. */
export const searchLostMs = 60_000
const tellEveryMs = 2_000
const longestMs = 600_000
const keptOfAccount = 100
const fetchesAtOnce = 2
/** The maximum number of records in a search while a caller waits. */
const waitedForMax = 500_000

export function createSearches(deps: SearchesDeps): Searches {
  const searching = { ...deps, inTurn: createTurns(fetchesAtOnce) }
  const ofAccount = oneAtATime()
  const waitedFor = oneAtATime()
  let isClosed = false
  return {
    async start(changes, request) {
      const { billingId, value } = request
      const end = deps.subjects.start(billingId)
      try {
        const { searchId, record, inputs } = await accept(changes, request)
        const run = createRun(changes, record, () => isClosed)
        void ofAccount(billingId, () => search(searching, { run, inputs, value }))
          .catch((error: unknown) => deps.log.warn({ err: error }, 'a search for a person ended'))
          .finally(end)
        return searchId
      } catch (error) {
        end()
        throw error
      }
    },
    now: (input, wanted) =>
      waitedFor(input.billingId, async () => {
        const plan = await planOf(searching, input)
        if (recordsIn(plan.places ?? []) > waitedForMax) throw tooLarge(input)
        const run = { ...wanted, onScanned: () => undefined, mayGoOn: () => !isClosed }
        const { searched, why } = await searchPlan(searching, plan, run)
        if (searched === undefined) throw refusal('unavailable', `${why}; try again`)
        return searched
      }),
    expire: (changes) => expireSearches(deps, changes),
    async close() {
      isClosed = true
      await deps.reader.close()
    },
  }
}

async function expireSearches({ follower }: SearchesDeps, changes: Changes): Promise<void> {
  const overMs = changes.now() - searchKeptMs
  const old = [...follower.tables.searches()].filter(({ startedAtMs }) => startedAtMs <= overMs)
  if (old.length === 0) return
  await changes.writer.change('unlogged', (draft) => {
    for (const { billingId, searchHash } of old) draft.put(searchKey(billingId, searchHash), null)
  })
}

const tooLarge = ({ name }: InputStream) =>
  refusal(
    'not_searched',
    `The stream ${name} and its outputs have too many records to be searched while you wait. Search first: ` +
      `POST /v2/people/search {"value": …, "streams": ["${name}"]}. Then send the searchId instead of the value`,
  )

type Accepted = {
  readonly searchId: string
  readonly record: SearchRecord
  readonly inputs: readonly InputStream[]
}

async function accept(
  changes: Changes,
  { billingId, streams, value }: SearchRequest,
): Promise<Accepted> {
  const searchId = newSecretId()
  const searchHash = secretHashOf(searchId)
  const sealedValue = sealUnder(searchId, 'search', value)
  const target = { account: billingId, search: searchHash, ...(streams && { streams }) }
  return changes.writer.change(act(changes, 'people.search', target), (draft) => {
    requireAccount(draft, billingId)
    const inputs =
      streams?.map((name) => requireInput(draft, billingId, name)) ??
      draft.streamsOf(billingId).filter((stream) => stream.kind === 'input')
    const before = draft.searchesOf(billingId).toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    for (const old of before.slice(0, Math.max(0, before.length - keptOfAccount + 1)))
      draft.put(searchKey(billingId, old.searchHash), null)
    const nowMs = changes.now()
    const times = { startedAtMs: nowMs, seenAtMs: nowMs, scanned: 0, total: 0 }
    const record: SearchRecord = { type: 'search', searchHash, sealedValue, billingId, ...times }
    draft.put(searchKey(billingId, searchHash), record)
    return { searchId, record, inputs: inputs.filter(({ state }) => state !== 'creating') }
  })
}

type Run = ReturnType<typeof createRun>

/** Updates the record until the search is finished. */
function createRun(changes: Changes, record: SearchRecord, isClosed: () => boolean) {
  let now = record
  const put = (): Promise<void> =>
    changes.writer.change(partOf('people.search'), (draft) => {
      const { billingId, searchHash } = now
      if (draft.search(billingId, searchHash) === undefined) return // expired, or removed to make room
      now = { ...now, seenAtMs: changes.now() }
      draft.put(searchKey(billingId, searchHash), now)
    })
  const telling = setInterval(() => void put().catch(() => {}), tellEveryMs)
  return {
    mayGoOn: () => !isClosed() && changes.now() < record.startedAtMs + longestMs,
    isClosed,
    total: (total: number) => void (now = { ...now, total }),
    onScanned: (records: number) => void (now = { ...now, scanned: now.scanned + records }),
    async done(streams: readonly FoundInStream[]): Promise<void> {
      clearInterval(telling)
      now = { ...now, scanned: now.total, streams }
      await put()
    },
    end: () => clearInterval(telling),
  }
}

type Searching = SearchDeps & { readonly log: Log }

async function search(
  deps: Searching,
  { run, inputs, value }: { run: Run; inputs: readonly InputStream[]; value: string },
): Promise<void> {
  try {
    const plans = await Promise.all(inputs.map((input) => planOf(deps, input)))
    run.total(plans.reduce((sum, { places = [] }) => sum + recordsIn(places), 0))
    const found: FoundInStream[] = []
    for (const plan of plans) {
      const stream = plan.input.name
      const searched = await searchPlan(deps, plan, { ...run, ...everyWay(value) })
      found.push(
        searched.searched?.found ?? { stream, by: [], held: [], notSearched: searched.why },
      )
    }
    if (!run.isClosed()) await run.done(found)
  } finally {
    run.end()
  }
}

const everyWay = (value: string): Wanted => ({
  values: [value],
  as: ['key_field', 'data_subject_field'],
})

type Plan = { readonly input: InputStream; readonly places: readonly SearchPlace[] | undefined }

/** `places` is undefined if Kafka does not report the topics now. */
async function planOf(deps: Searching, input: InputStream): Promise<Plan> {
  try {
    return { input, places: await withTimeout(placesOf(deps, input), 30_000, 'asking Kafka') }
  } catch (error) {
    deps.log.warn({ err: error, stream: input.streamId }, 'a stream cannot be searched')
    return { input, places: undefined }
  }
}

/** Returns the result, or why there is no result. */
async function searchPlan(
  deps: Searching,
  { input, places }: Plan,
  run: Parameters<typeof searchStream>[2],
): Promise<{ readonly searched: Searched | undefined; readonly why: string }> {
  const not = (why: string) => ({ searched: undefined, why })
  if (places === undefined) return not('Kafka does not report the topics of the stream now')
  if (!places.some(({ kind }) => kind === 'input')) return not('The topic of the stream is gone')
  try {
    const searched = await searchStream(deps, { input, places }, run)
    return { searched, why: 'The search took longer than ten minutes; search this stream alone' }
  } catch (error) {
    deps.log.warn({ err: error, stream: input.streamId }, 'a stream cannot be searched')
    return not('The topics or the keys of the stream cannot be read now')
  }
}

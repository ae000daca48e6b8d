// Searches for a person in the streams of an account. The value comes in the body, because proxies log paths. No
// response contains it.
import type { FoundInStream, SearchRecord, StateFollower } from '@weir/control-state'
import { checkBody, lookUp, readJson } from '@weir/http-api'
import type { AccountCall, RouteAnswer } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { secretHashOf } from '@weir/control-state'
import { levelsOfFields } from '../../people/people-found.ts'
import { searchKeptMs, searchLostMs } from '../../people/searches.ts'
import { refusal } from '../../errors.ts'
import { searchBody } from '../people-bodies.ts'
import { acting } from '../management.ts'
import type { Shown } from '../management.ts'

/** A value may be as long as an event, and JSON encoding makes it longer. */
const bodyBytesMax = 4_194_304

type PeopleDeps = Pick<Shown, 'state' | 'searches' | 'accounts'>

export const startSearch =
  (deps: PeopleDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'NewSearch'>>> => {
    const { caller } = call
    const { value, streams } = checkBody(searchBody, await readJson(call, bodyBytesMax))
    const changes = acting(deps.accounts, caller)
    const asked = { billingId: caller.billingId, value, streams }
    const searchId = await deps.searches.start(changes, asked)
    return { status: 202, body: { searchId } }
  }

export const showSearch =
  (deps: PeopleDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'Search'>>> => {
    const searchId = call.param('search')
    const search = await searchOf(deps, call, searchId)
    const waiting = await lookUp(deps.state, (tables) => streamsWaiting(tables, search))
    return { status: 200, body: shown(searchId, search, waiting) }
  }

type Search = SearchRecord & { readonly isLost: boolean }

/** @throws Refusal `not_found` */
export function searchOf(
  { state, accounts }: Pick<PeopleDeps, 'state' | 'accounts'>,
  { caller }: AccountCall,
  searchId: string,
): Promise<Search> {
  const nowMs = accounts.now()
  return lookUp(state, (tables) => {
    const found = tables.search(caller.billingId, secretHashOf(searchId))
    if (found === undefined || found.startedAtMs + searchKeptMs <= nowMs) throw noSearch()
    const isLost = found.streams === undefined && found.seenAtMs + searchLostMs <= nowMs
    return { ...found, isLost }
  })
}

/**
 * Returns the streams with erased or withdrawn fields in the results, and with an erasure that is not `applied`. This
 * erasure may be about another person.
 */
function streamsWaiting(
  tables: Pick<StateFollower['tables'], 'streamsOf' | 'erasuresOf'>,
  { billingId, streams = [] }: Search,
): ReadonlySet<string> {
  const reached = new Set(streams.filter(isReached).map(({ stream }) => stream))
  const waiting = tables
    .streamsOf(billingId)
    .filter(({ kind, name }) => kind === 'input' && reached.has(name))
    .filter(({ streamId }) =>
      tables.erasuresOf(streamId).some(({ appliedAtMs }) => appliedAtMs === undefined),
    )
  return new Set(waiting.map(({ name }) => name))
}

/** Returns whether an erasure or withdrawal has changed what can be decrypted of the events. */
const isReached = ({ erased, withdrawn, held }: FoundInStream): boolean =>
  erased === true || withdrawn !== undefined || held.some((place) => (place.erased ?? 0) > 0)

function shown(
  searchId: string,
  search: Search,
  waiting: ReadonlySet<string>,
): AnswerNamed<'Search'> {
  const { startedAtMs, scanned, total, streams, isLost } = search
  return {
    searchId,
    state: streams === undefined ? (isLost ? 'failed' : 'running') : 'done',
    ...(isLost ? { because: 'The replica of auth that was searching is gone. Search again' } : {}),
    startedAt: new Date(startedAtMs).toISOString(),
    scanned,
    total,
    ...(streams === undefined
      ? {}
      : { streams: streams.map((found) => streamShown(found, waiting)) }),
  }
}

const streamShown = ({ held, ...found }: FoundInStream, waiting: ReadonlySet<string>) => ({
  ...found,
  ...(waiting.has(found.stream) ? { notApplied: true } : {}),
  held: held.map((place) => ({
    ...place,
    decrypted: [...new Set(place.fields.map(({ field }) => field))].sort(),
    levels: levelsOfFields(place.fields),
  })),
})

const noSearch = () =>
  refusal('not_found', 'The account has no such search. Searches are kept for an hour')

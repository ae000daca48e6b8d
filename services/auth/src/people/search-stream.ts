// Searches one input stream, its outputs and their dead letter topics for a person. Reads every record, and matches it
// by its keyLink, or by a value in the clear. Decrypts nothing.
import type { LogOffsets, RangeReader } from '@weir/kafka'
import { hasCode, takingTurns } from '@weir/kit'
import type { Turns } from '@weir/kit'
import { deadLetterTopicOf, topicOf } from '@weir/control-state'
import type {
  DerivedStream,
  FoundInStream,
  HeldIn,
  InputStream,
  StateFollower,
} from '@weir/control-state'
import { keptFor } from '../control/erasure/clear-at.ts'
import type { SettingsReader } from '../control/erasure/settings-reader.ts'
import type { WrappingKeys } from '../control/keys/wrapping-keys.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { createMatches } from './matches.ts'
import type { Looking } from './matches.ts'
import { linksOfPeople } from './person-links.ts'
import type { Wanted } from './person-links.ts'
import { createPlainValues } from './plain-values.ts'
import { createStoredEvents } from './stored-events.ts'

export type SearchDeps = {
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore' | 'tables'>
  readonly subjects: Pick<SubjectLog, 'links'>
  readonly wrappingKeys: Pick<WrappingKeys, 'settled'>
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly settings: SettingsReader
  /** Limits the concurrent fetches of all searches together. */
  readonly inTurn: Turns
}

export type SearchPlace = {
  readonly name: string
  readonly kind: HeldIn['kind']
  readonly topic: string
  /** The output whose levels determine which fields are decrypted in the topic. */
  readonly output?: DerivedStream
  readonly spans: readonly Span[]
}
type Span = { readonly partition: number; readonly from: bigint; readonly to: bigint }

export type SearchRun = Wanted & {
  /** Called with the number of records read. */
  onScanned(records: number): void
  /** Called between fetches. If it returns false, the search ends without a result for the stream. */
  mayGoOn(): boolean
}

/** The maximum number of offsets per fetch, so that other searches get their turn. */
const offsetsAtOnce = 4_000n

/** Returns the topics that may contain a stream's events, including existing topics of deleted outputs. */
export async function placesOf(deps: SearchDeps, input: InputStream): Promise<SearchPlace[]> {
  const outputs = deps.follower.tables
    .outputsOf(input)
    .filter(({ state, neverReady }) => state !== 'creating' && neverReady !== true)
  const all: Omit<SearchPlace, 'spans'>[] = [
    { name: input.name, kind: 'input', topic: topicOf(input) },
    ...outputs.flatMap((output): Omit<SearchPlace, 'spans'>[] => [
      {
        name: output.name,
        kind: output.state === 'deleting' ? 'deleted' : 'output',
        topic: topicOf(output),
        output,
      },
      { name: output.name, kind: 'dead', topic: deadLetterTopicOf(output) },
    ]),
  ]
  const places: SearchPlace[] = []
  for (const place of all) {
    if ((await deps.settings.topic(place.topic)) === undefined) continue
    places.push({ ...place, spans: await spansOf(deps, place.topic) })
  }
  return places
}

async function spansOf({ offsets }: SearchDeps, topic: string): Promise<Span[]> {
  const starts = await offsets.earliest(topic)
  const ends = await offsets.ends(topic, { isolation: 'read_committed' })
  return ends.map((to, partition) => ({ partition, from: starts[partition] ?? 0n, to }))
}

export const recordsIn = (places: readonly SearchPlace[]): number =>
  places
    .flatMap(({ spans }) => spans)
    .reduce((sum, { from, to }) => sum + Math.max(0, Number(to - from)), 0)

export type Searched = {
  readonly found: FoundInStream
  /** The number of events per value, in all topics. */
  readonly events: readonly number[]
}

/** Returns undefined if `mayGoOn` ended the search. Throws the errors of Kafka and the key store. */
export async function searchStream(
  deps: SearchDeps,
  { input, places }: { readonly input: InputStream; readonly places: readonly SearchPlace[] },
  run: SearchRun,
): Promise<Searched | undefined> {
  const contracts = new Map(
    deps.follower.tables.contractsOf(input.billingId).map((contract) => [contract.id, contract]),
  )
  const links = await amidRotations(deps, () => linksOfPeople(deps, input, run))
  const held: HeldIn[] = []
  const events = run.values.map(() => 0)
  const stored = createStoredEvents()
  const looking = { links, contracts, stored, plain: createPlainValues(stored, run) }
  let inInput: Matches | undefined
  for (const place of places) {
    const matches = await matchesIn(deps, { place, looking }, run)
    if (matches === undefined) return undefined
    if (place.kind === 'input') inInput = matches
    matches.addTo(events)
    held.push(await heldIn(deps, place, matches))
  }
  const told = inInput?.told() ?? { by: [] }
  return { found: { stream: input.name, ...told, held }, events }
}

const triesMax = 3

/** Retries while a rotation wraps key records again, because they can't be read for a moment. */
async function amidRotations<Read>(
  { wrappingKeys }: SearchDeps,
  read: () => Promise<Read>,
): Promise<Read> {
  for (let tries = 1; ; tries += 1) {
    await wrappingKeys.settled()
    try {
      return await read()
    } catch (error) {
      if (tries === triesMax || !hasCode(error, 'unavailable')) throw error
    }
  }
}

type Matches = ReturnType<typeof createMatches>

async function matchesIn(
  { reader, inTurn }: SearchDeps,
  { place, looking }: { place: SearchPlace; looking: Looking },
  { onScanned, mayGoOn }: SearchRun,
): Promise<Matches | undefined> {
  const matches = createMatches(looking, place.output)
  const turn = takingTurns()
  for (const { partition, from: first, to: end } of place.spans) {
    for (let from = first; from < end; from += offsetsAtOnce) {
      if (!mayGoOn()) return undefined
      const to = from + offsetsAtOnce < end ? from + offsetsAtOnce : end
      const range = { topic: place.topic, partition, from, to }
      await inTurn(() =>
        reader.read(range, async (records) => {
          for (const record of records) {
            matches.add(record)
            await turn()
          }
          return true
        }),
      )
      onScanned(Number(to - from))
    }
  }
  return matches
}

async function heldIn(
  { settings }: SearchDeps,
  { name, kind, topic }: SearchPlace,
  matches: Matches,
): Promise<HeldIn> {
  const { events, erased, newestMs, fields } = matches.counts()
  const held = { name, kind, events, ...(kind === 'input' ? { erased } : {}), fields }
  if (events === 0) return held
  const [ofTopic, ofBroker] = await Promise.all([settings.topic(topic), settings.broker()])
  const until = keptFor(ofTopic ?? {}, ofBroker)
  return 'ms' in until
    ? { ...held, until: timeOf(newestMs + until.ms) }
    : { ...held, until: 'unknown', because: `${topic} ${until.unknown}` }
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()

// Finds the people for an erasure, in the result of an earlier search, or by a search while the caller waits. Refuses a
// value without events. Otherwise a misspelt value, or a value of another field, would seem erased while the person's
// data stays readable.
import type {
  ContractRecord,
  DecryptedField,
  ErasureTerm,
  FoundInStream,
  FoundPeople,
  InputStream,
  SearchRecord,
} from '@weir/control-state'
import type { Refusal } from '@weir/http-api'
import { contractsBy } from '../control/erasure/erasure-contracts.ts'
import { refusal } from '../errors.ts'
import type { Wanted } from './person-links.ts'
import { openUnder } from '@weir/control-state'
import type { Searches } from './searches.ts'

export type PeopleFound = Wanted & {
  readonly found: FoundPeople
  /** The indexes of the values that were found neither in the input nor in an output. */
  readonly missing: readonly number[]
  readonly notSearched: string | undefined
  /** True if there are events, and all of them were erased before. */
  readonly isErased: boolean
  /** The consent levels that the events in the input were sent with; undefined without events. */
  readonly consent: readonly number[] | undefined
  /** The levels that were withdrawn before. */
  readonly withdrawn: readonly number[]
}

export type Finding = { readonly searches: Pick<Searches, 'now'>; readonly now: () => number }

/** @throws Refusal `not_searched`, `unavailable` */
export async function findPeople(
  { searches, now }: Finding,
  input: InputStream,
  wanted: Wanted,
): Promise<PeopleFound> {
  const searchedAtMs = now()
  const { found, events } = await searches.now(input, wanted)
  const missing = events.flatMap((count, nth) => (count === 0 ? [nth] : []))
  const values = events.length - missing.length
  return {
    ...wanted,
    found: { values, ...countedIn(found), searchedAtMs },
    missing,
    notSearched: found.notSearched,
    isErased: found.erased === true,
    consent: found.consent?.map(({ level }) => level),
    withdrawn: found.withdrawn ?? [],
  }
}

/** Returns what an earlier search found in a stream. @throws Refusal `not_searched` */
export function foundBefore(
  { startedAtMs, sealedValue, streams }: SearchRecord,
  { input, searchId }: { readonly input: InputStream; readonly searchId: string },
): PeopleFound {
  const found = streams?.find(({ stream }) => stream === input.name)
  if (streams === undefined) throw notSearched('The search is not done yet')
  if (found === undefined) throw notSearched(`The search did not cover the stream ${input.name}`)
  if (found.held.length === 0) throw notSearched(found.notSearched ?? 'Nothing was searched')
  const as = [...new Set(found.by.map((each) => each.as))]
  const isMissing = found.held.every(({ events }) => events === 0)
  return {
    values: [openUnder(searchId, 'search', sealedValue)],
    as: as.length === 0 ? ['key_field'] : as,
    found: { values: isMissing ? 0 : 1, ...countedIn(found), searchedAtMs: startedAtMs },
    missing: isMissing ? [0] : [],
    notSearched: found.notSearched,
    isErased: found.erased === true,
    consent: found.consent?.map(({ level }) => level),
    withdrawn: found.withdrawn ?? [],
  }
}

const notSearched = (why: string): Refusal =>
  refusal('not_searched', `${why}. Search again, and wait until state is done`)

export const levelsOfFields = (fields: readonly DecryptedField[]): number[] =>
  [...new Set(fields.map(({ level }) => level))].sort((a, b) => a - b)

const countedIn = ({
  by,
  held,
  notSearched: why,
}: FoundInStream): Omit<FoundPeople, 'values' | 'searchedAtMs'> => ({
  events: by.reduce((sum, { events }) => sum + events, 0),
  by,
  outputs: held
    .filter(({ kind }) => kind === 'output' || kind === 'deleted')
    .map(({ name, events, fields }) => ({ name, events, levels: levelsOfFields(fields) })),
  ...(why === undefined ? {} : { notSearched: why }),
})

/** @throws Refusal `none_found`, with what was searched and what may help */
export async function requireFound(
  deps: Finding,
  { input, contracts }: { input: InputStream; contracts: readonly ContractRecord[] },
  people: PeopleFound,
): Promise<void> {
  const { as, missing, notSearched: partly } = people
  if (missing.length === 0) return
  const { naming, others } = contractsBy(as, contracts)
  const fields = naming.map(({ id, field }) => `${field} of ${id}`)
  const sentences = [
    `No event of the stream ${input.name} or of its outputs has ${missingOnes(people)} in ${listed(fields)}`,
    ...(partly === undefined ? [] : [partly]),
    ...(others.length === 0
      ? []
      : [
          `Events of ${listed(others)} were not searched, because these contracts have no such field`,
        ]),
    'Check the spelling, upper and lower case, and spaces at the ends',
    ...(await elsewhere(deps, { input, contracts }, people)),
    'To erase all the same, and have a record that says 0 found, send evenIfNoneFound: true. Nothing was changed',
  ]
  throw refusal('none_found', sentences.join('. '))
}

const fieldsToldMax = 10

const listed = (fields: readonly string[]): string =>
  fields.length === 0
    ? 'a field that names people: the account has no contract with one'
    : fields.slice(0, fieldsToldMax).join(', ') + (fields.length > fieldsToldMax ? ', …' : '')

function missingOnes({ values, missing }: PeopleFound): string {
  if (values.length === 1) return 'this value'
  const numbers = missing.map((nth) => nth + 1).join(', ')
  return `the values ${numbers} (of ${values.length}, counted from 1)`
}

/** Searches for a single value in the other kind of field. Returns sentences about the result. */
async function elsewhere(
  deps: Finding,
  { input, contracts }: { input: InputStream; contracts: readonly ContractRecord[] },
  { values, as }: PeopleFound,
): Promise<string[]> {
  const term: ErasureTerm = as.includes('key_field') ? 'data_subject_field' : 'key_field'
  const { naming } = contractsBy([term], contracts)
  if (values.length > 1 || as.length > 1 || naming.length === 0) return []
  const { found } = await findPeople(deps, input, { values, as: [term] })
  if (found.events === 0) return []
  const member = term === 'key_field' ? 'keyFieldValue' : 'subject'
  const holding = new Set(found.by.map(({ contract }) => contract))
  const fields = naming
    .filter(({ id }) => holding.has(id))
    .map(({ id, field }) => `${field} of ${id}`)
  const events = found.events === 1 ? '1 event has' : `${found.events} events have`
  return [`${events} it in ${listed(fields)}: send it as ${member}`]
}

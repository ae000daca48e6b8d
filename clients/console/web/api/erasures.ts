// Erasures in auth's management API, version 2.
import { Refused } from './calls.ts'
import type { Calls, Where } from './calls.ts'
import { listOf, numberOf, numbersOf, objectOf, textOf } from './json.ts'
import type { Json } from './json.ts'
import { erasureStates } from './erasure.ts'
import type { Erasure, Holding, ReadersOutput, StateTimes } from './erasure.ts'

export type Made = { readonly erasure: Erasure; readonly salt: string }

export type Asked = {
  /** The search that found the person. */
  readonly searchId: string
  readonly levels?: readonly number[]
  readonly reference?: string
  readonly dueOn?: string
  readonly evenIfNoneFound?: boolean
}

const pathOf = (input: string): string => `/v2/streams/${input}/erasures`

export async function listErasures({ auth }: Calls, input: string): Promise<readonly Erasure[]> {
  return listOf(await auth('GET', pathOf(input)))
    .map(objectOf)
    .map(erasureOf)
}

export async function erase({ auth }: Calls, input: string, asked: Asked): Promise<Made> {
  const answer = objectOf(await auth('POST', pathOf(input), asked))
  return { erasure: erasureOf(answer), salt: textOf(answer['salt']) }
}

/** Returns undefined if the stream has no such request, or no longer exists. */
export async function existingErasure(
  { auth }: Calls,
  { stream, id }: { readonly stream: string; readonly id: string },
): Promise<Erasure | undefined> {
  try {
    return erasureOf(objectOf(await auth('GET', `${pathOf(stream)}/${id}`)))
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}

/** `dueOn` is a day such as 2026-12-24. Both may be empty. */
export type Noted = { readonly reference: string; readonly dueOn: string }

export async function changeNoted(
  { auth }: Calls,
  { stream, id }: { readonly stream: string; readonly id: string },
  { reference, dueOn }: Noted,
): Promise<void> {
  await auth('PATCH', `${pathOf(stream)}/${id}`, {
    reference: reference === '' ? null : reference,
    dueOn: dueOn === '' ? null : dueOn,
  })
}

/** Returns the address where anyone can check a receipt. */
export const verifyPage = ({ authUrl }: Where): string => `${authUrl}/verify`

export async function receiptOf({ auth }: Calls, input: string, id: string): Promise<string> {
  return textOf(objectOf(await auth('GET', `${pathOf(input)}/${id}/receipt`))['receipt'])
}

function erasureOf(erasure: Json): Erasure {
  const states = objectOf(erasure['states'])
  const found = objectOf(erasure['found'])
  return {
    id: textOf(erasure['id']),
    values: numberOf(erasure['values']),
    found: numberOf(found['events']),
    searchedAt: textOf(found['searchedAt']),
    isBesideKey: listOf(found['by']).some((by) => objectOf(by)['as'] === 'data_subject_field'),
    notSearched: textOf(found['notSearched']),
    reference: textOf(erasure['reference']),
    dueOn: textOf(erasure['dueOn']),
    levels: erasure['levels'] === undefined ? undefined : numbersOf(erasure['levels']),
    states: new Map(erasureStates.map((state) => [state, timesOf(objectOf(states[state]))])),
    outputs: listOf(erasure['outputs']).map(objectOf).map(holdingOf),
    readers: listOf(erasure['readers']).map(objectOf).map(readersOf),
    eventsUntil: textOf(objectOf(erasure['input'])['clearAt']),
    incompleteSince: textOf(erasure['incompleteSince']),
  }
}

const timesOf = ({ at, expectedBy }: Json): StateTimes => ({
  at: textOf(at),
  expectedBy: textOf(expectedBy),
})

const namedOf = (output: Json) => ({
  name: textOf(output['name']),
  tags: listOf(output['tags']).map(textOf),
  levels: numbersOf(output['levels']),
  events: output['events'] === undefined ? undefined : numberOf(output['events']),
})

const readersOf = (output: Json): ReadersOutput => ({
  ...namedOf(output),
  keyMaxAgeSeconds: numberOf(output['keyMaxAgeSeconds']),
})

const holdingOf = (output: Json): Holding => ({
  ...namedOf(output),
  foundLevels: output['foundLevels'] === undefined ? undefined : numbersOf(output['foundLevels']),
  clearAt: textOf(output['clearAt']),
  because: textOf(output['because']),
  deleted: output['deleted'] === true,
})

// Shows an erasure to people: its states, when the next states are expected, and until when outputs contain decrypted
// values.
import { isObject, listAt, textAt, valueAt } from '../../json.ts'
import { renderDetails, renderTable } from '../../terminal/table.ts'

const states = ['accepted', 'applied', 'complete', 'destroyed'] as const

export function renderErasure(erasure: unknown): string {
  const shown = isObject(erasure) ? erasure : {}
  const {
    states: _,
    outputs: _o,
    readers: _r,
    found: _f,
    input: _i,
    terms: _t,
    salt,
    dueOn,
    ...rest
  } = shown
  const events = valueAt(erasure, 'found', 'events')
  const times = Object.fromEntries(states.map((state) => [state, timeOf(erasure, state)]))
  const found = `${String(events)} ${events === 1 ? 'event' : 'events'}`
  const details = {
    ...rest,
    ...(dueOn === undefined ? {} : { due: dueOn }),
    found,
    ...times,
    eventsUntil: textAt(erasure, 'input', 'clearAt'),
    ...(salt === undefined ? {} : { salt }),
  }
  const request = 'levels' in shown ? 'withdrawal' : 'erasure'
  return [
    renderDetails(details),
    renderOutputs(listAt(erasure, 'outputs'), request),
    ...listAt(erasure, 'readers').map(readersOf),
  ].join('\n\n')
}

function timeOf(erasure: unknown, state: (typeof states)[number]): string {
  const at = textAt(erasure, 'states', state, 'at')
  if (at !== undefined) return at
  const expected = textAt(erasure, 'states', state, 'expectedBy') ?? 'unknown'
  if (state === 'destroyed') return 'when the KEKs that protected the old keys are destroyed'
  if (expected === 'unknown') return 'not yet'
  return `expected by ${expected}${state === 'complete' ? ', usually 11 to 15 minutes after accepted' : ''}`
}

const eventsFound = (events: unknown): string =>
  typeof events === 'number' ? `${events} events found` : 'not searched'

const readersOf = (output: unknown): string =>
  `Readers of ${textAt(output, 'name')} decrypt level ${listAt(output, 'levels').join(', ')} themselves (${eventsFound(valueAt(output, 'events'))}).
They may use a key for ${String(valueAt(output, 'keyMaxAgeSeconds'))} seconds; the request is applied when the last ones are older.
Weir does not know what they have stored decrypted.`

function renderOutputs(outputs: readonly unknown[], request: string): string {
  if (outputs.length === 0)
    return `Weir decrypts fields that this ${request} is about in no output of the stream.`
  const rows = outputs.map((output) => [
    textAt(output, 'name'),
    valueAt(output, 'levels'),
    valueAt(output, 'events') ?? 'unknown',
    valueAt(output, 'foundLevels') ?? 'unknown',
    textAt(output, 'clearAt'),
    [
      textAt(output, 'because'),
      valueAt(output, 'deleted') === true ? 'the output is deleted' : undefined,
    ]
      .filter((why) => why !== undefined)
      .join('; '),
  ])
  return [
    `Outputs may still contain values that were decrypted before the ${request} was applied.`,
    'The search before found EVENTS there, with decrypted fields of the levels FOUND; later events are not counted.',
    'After CLEAR AT, the topic of an output no longer contains them:',
    renderTable(['OUTPUT', 'LEVELS', 'EVENTS', 'FOUND', 'CLEAR AT', 'WHY'], rows),
  ].join('\n')
}

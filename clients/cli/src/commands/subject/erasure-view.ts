// An erasure for people: its states, when the next ones are expected, and which outputs contain decrypted values until
// when.
import { isObject, listAt, textAt, valueAt } from '../../json.ts'
import { renderDetails, renderTable } from '../../terminal/table.ts'

const states = ['accepted', 'applied', 'complete', 'destroyed'] as const

export function renderErasure(erasure: unknown): string {
  const shown = isObject(erasure) ? erasure : {}
  const { states: _, outputs: _o, found: _f, input: _i, terms: _t, salt, dueOn, ...rest } = shown
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
  return `${renderDetails(details)}\n\n${renderOutputs(listAt(erasure, 'outputs'), 'levels' in shown ? 'withdrawal' : 'erasure')}`
}

function timeOf(erasure: unknown, state: (typeof states)[number]): string {
  const at = textAt(erasure, 'states', state, 'at')
  if (at !== undefined) return at
  const expected = textAt(erasure, 'states', state, 'expectedBy') ?? 'unknown'
  if (state === 'destroyed') return 'when the KEKs that protected the old keys are destroyed'
  if (expected === 'unknown') return 'not yet'
  return `expected by ${expected}${state === 'complete' ? ', usually about 11 minutes after accepted' : ''}`
}

function renderOutputs(outputs: readonly unknown[], request: string): string {
  if (outputs.length === 0)
    return `No output of the stream decrypts fields that this ${request} is about.`
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

// How a replica acquires the partition. It gets an epoch, writes the epoch's marker in both logs, gets the epoch for
// writing, and finds the position from the logs up to the marker.
import { nextEpoch, withMarkers } from './broker.ts'
import type { ModelStep } from './explore.ts'
import { both, released, spend, step, withOwner } from './state.ts'
import type { At, Rules, ModelState } from './state.ts'

export function acquireSteps(rules: Rules, state: ModelState, at: At): ModelStep<ModelState>[] {
  switch (state.owners[at].phase) {
    case 'idle':
      return begin(rules, state, at)
    case 'marking':
      return mark(rules, state, at)
    case 'renewing':
      return [renew(rules, state, at)]
    case 'reading':
      return [readTail(rules, state, at)]
    case 'writing':
      return []
  }
}

function begin(rules: Rules, state: ModelState, at: At): ModelStep<ModelState>[] {
  const broker = nextEpoch(state.broker)
  if (state.left.acquisitions === 0 || broker === undefined) return []
  const isEarly = rules.is('the tail is read before the fence')
  const next = isEarly ? (tailOf(rules, state, undefined) ?? 0) : 0
  const begun = { phase: 'marking', epoch: broker.epoch, sequences: [0, 0], next } as const
  const asked = withOwner(spend({ ...state, broker }, 'acquisitions'), at, begun)
  return [step(`${at} asks for an epoch`, asked)]
}

const release = (name: string, state: ModelState, at: At): ModelStep<ModelState> =>
  step(name, withOwner(state, at, released(state.owners[at])))

function mark(rules: Rules, state: ModelState, at: At): ModelStep<ModelState>[] {
  const { epoch } = state.owners[at]
  if (rules.is('nothing is fenced'))
    return [step(`${at} writes no marker`, withOwner(state, at, { phase: 'reading' }))]
  return [undefined, ...(state.left.leftOut > 0 ? both : [])].map((leftOut) => {
    const broker = withMarkers(state.broker, epoch, leftOut)
    if (broker === undefined) return release(`${at} is fenced before its marker`, state, at)
    const marked = withOwner({ ...state, broker }, at, { phase: 'renewing' })
    return leftOut === undefined
      ? step(`${at} writes its markers`, marked)
      : step(`${at} writes its markers, but not in log ${leftOut}`, spend(marked, 'leftOut'))
  })
}

function renew(rules: Rules, state: ModelState, at: At): ModelStep<ModelState> {
  const { epoch } = state.owners[at]
  const own = rules.is('the last epoch may be of anyone') ? undefined : epoch
  const broker = nextEpoch(state.broker, own)
  if (broker === undefined) return release(`${at} is fenced`, state, at)
  const renewed = { phase: 'reading', marker: epoch, epoch: broker.epoch } as const
  return step(`${at} gets its epoch`, withOwner({ ...state, broker }, at, renewed))
}

function readTail(rules: Rules, state: ModelState, at: At): ModelStep<ModelState> {
  const { marker, next: early } = state.owners[at]
  const next = rules.is('the tail is read before the fence')
    ? early
    : tailOf(rules, state, rules.is('nothing is fenced') ? undefined : marker)
  if (next === undefined) return release(`${at} misses its marker`, state, at)
  return step(`${at} reads on from ${next}`, withOwner(state, at, { phase: 'writing', next }))
}

/** Returns the position that follows from the logs up to this marker; undefined if a log lacks the marker. */
function tailOf(
  rules: Rules,
  { broker, noted }: ModelState,
  marker: number | undefined,
): number | undefined {
  if (rules.is('only the noted position counts')) return noted
  let next = noted
  const logs = rules.is('only the derived log is read') ? [broker.logs[0]] : broker.logs
  for (const { entries } of logs) {
    const found = entries.findIndex((entry) => 'marker' in entry && entry.marker === marker)
    if (found < 0 && marker !== undefined && !rules.is('no marker is read back')) return undefined
    for (const entry of found < 0 ? entries : entries.slice(0, found))
      if ('source' in entry) next = Math.max(next, entry.source + 1)
  }
  return next
}

// Messages that arrive from the sockets, in order for each connection, and crashes of replicas.
import { append } from './broker.ts'
import type { ModelAnswer, ModelBatch } from './broker.ts'
import type { ModelStep } from './explore.ts'
import { released, spend, step, withOwner } from './state.ts'
import type { At, SocketMessage, Rules, ModelState } from './state.ts'

export function arrivals(rules: Rules, state: ModelState): ModelStep<ModelState>[] {
  return state.sockets.flatMap((message, index) => {
    const isOfSame = (other: SocketMessage) =>
      other.owner === message.owner && other.connection === message.connection
    if (state.sockets.findIndex(isOfSame) !== index) return []
    const rest = { ...state, sockets: state.sockets.toSpliced(index, 1) }
    const isOld = state.owners[message.owner].connection !== message.connection
    const lost = isOld ? [step(`what ${message.owner} had sent is lost`, rest)] : []
    if ('note' in message)
      return [step(`note ${message.note} arrives`, { ...rest, noted: message.note }), ...lost]
    const { broker, answer } = append(state.broker, message.batch)
    const arrived: ModelState = {
      ...rest,
      broker,
      wrong: answer === 'stored' ? misplaced(rules, state, message.batch) : undefined,
    }
    const name = `event ${message.batch.source} of ${message.owner} is ${answer}`
    if (isOld) return [step(name, arrived), ...lost]
    const told = step(name, hear(arrived, message.owner, message.batch, answer))
    if (state.left.lostAnswers === 0) return [told]
    return [
      told,
      step(
        `${name}, and its answer is lost`,
        spend(reconnected(arrived, message.owner), 'lostAnswers'),
      ),
    ]
  })
}

function hear(state: ModelState, at: At, batch: ModelBatch, answer: ModelAnswer): ModelState {
  const owner = state.owners[at]
  if (answer === 'fenced' || answer === 'out of order') return withOwner(state, at, released(owner))
  return withOwner(state, at, {
    inFlight: owner.inFlight.filter(
      ({ log, sequence }) => log !== batch.log || sequence !== batch.sequence,
    ),
  })
}

const reconnected = (state: ModelState, at: At): ModelState => {
  const { connection, inFlight } = state.owners[at]
  return withOwner(state, at, {
    connection: connection + 1,
    inFlight: inFlight.map((flight) => ({ ...flight, isSent: false })),
  })
}

export function mishaps(state: ModelState, at: At): ModelStep<ModelState>[] {
  const owner = state.owners[at]
  if (state.left.crashes === 0 || owner.phase === 'idle') return []
  const crashed = owner.phase === 'writing' ? [...state.crashed, owner.epoch] : state.crashed
  const gone = withOwner(spend({ ...state, crashed }, 'crashes'), at, {
    ...released(owner),
    hasHeard: state.isErased,
  })
  return [step(`${at} crashes`, gone)]
}

/**
 * Returns what is wrong if a log stores this batch, or undefined. The log must have the events of its kind once and in
 * order, and gets no decrypted value after the erasure is applied.
 */
function misplaced(
  { events }: Rules,
  state: ModelState,
  { log, source, isOpen }: ModelBatch,
): string | undefined {
  if (state.isApplied && isOpen)
    return `event ${source} is stored decrypted after the erasure was applied`
  const stored = state.broker.logs[log].entries.filter((entry) => 'source' in entry).length
  const kind = log === 1 ? 'dead' : 'passes'
  const wanted = events.flatMap((event, at) => (event === kind ? [at] : []))[stored]
  return source === wanted
    ? undefined
    : `log ${log} gets event ${source} instead of ${wanted ?? 'none'}`
}

// The checks that changes of control state run first: whether records exist, and whether names are free. Each check
// throws the error for the caller of the API.
import type {
  AccountRecord,
  DerivedStream,
  ErasureRecord,
  InputStream,
  StreamRecord,
} from '../records/records.ts'
import type { AccountState, Erasures, Streams } from './state.ts'
import { ControlStateError } from '../errors.ts'

const notFound = (name: string): ControlStateError<'control-state.not_found'> =>
  new ControlStateError('control-state.not_found', `There is no stream ${name}`)

export const noContract = (id: string): ControlStateError<'control-state.not_found'> =>
  new ControlStateError('control-state.not_found', `There is no contract ${id}`)

export function requireAccount(
  state: Pick<AccountState, 'account'>,
  billingId: string,
): AccountRecord {
  const account = state.account(billingId)
  if (account === undefined)
    throw new ControlStateError('control-state.not_found', `There is no account ${billingId}`)
  return account
}

/** Throws `not_found` also for a stream that isn't ready. */
export function requireInput(
  state: Pick<Streams, 'stream'>,
  billingId: string,
  name: string,
): InputStream {
  const stream = state.stream(billingId, name)
  if (stream?.state !== 'ready' || stream.kind !== 'input') throw notFound(name)
  return stream
}

/** Throws `not_found` also for a stream that isn't ready, or is derived from another input stream. */
export function requireOutput(
  state: Pick<Streams, 'stream'>,
  billingId: string,
  { input, name }: { input: string; name: string },
): DerivedStream {
  const linked = requireInput(state, billingId, input)
  const stream = state.stream(billingId, name)
  if (stream?.state !== 'ready' || stream.kind !== 'derived') throw notFound(name)
  if (stream.linkedStreamId !== linked.streamId) throw notFound(name)
  return stream
}

export function requireErasure(
  state: Pick<Erasures, 'erasure'>,
  stream: InputStream,
  erasureId: string,
): ErasureRecord {
  const erasure = state.erasure(stream.streamId, erasureId)
  if (erasure === undefined)
    throw new ControlStateError(
      'control-state.not_found',
      `The stream ${stream.name} has no erasure ${erasureId}`,
    )
  return erasure
}

export function requireFreeName(
  state: Pick<Streams, 'stream'>,
  billingId: string,
  name: string,
): void {
  const stream = state.stream(billingId, name)
  if (stream !== undefined) throw nameTaken(stream)
}

function nameTaken({ name, state }: StreamRecord): ControlStateError {
  if (state === 'deleting')
    return new ControlStateError(
      'control-state.being_deleted',
      `The stream ${name} is still being deleted; try again in a few seconds`,
    )
  return new ControlStateError(
    'control-state.name_taken',
    `There is a stream named ${name} already`,
  )
}

// The steps that create a stream (docs/architecture.md 11). Before the last step nobody has the stream's credentials,
// so it has no tokens or events.
//
//   reserve   one transaction reserves the name: it writes the record, in state `creating`, and the keys of an input.
//             If this is refused, nothing is left.
//   make      creates the topics, and fences the derivers of a former stream of this name. If a topic already exists,
//             the new topics are deleted, and the name is free immediately.
//   serve     lets ingest and output use the topics.
//   start     for an output: determines where in its input it starts, and lets its credentials read it.
//   announce  changes the state to `ready`, unless the creation has taken longer than a minute.
//
// If a step after `reserve` fails otherwise, the stream is abandoned: its state becomes `deleting`, and clean-up.ts
// does the rest. This happens immediately if this process can still write the record, otherwise after a minute.
import { act, newCredential, requireInput, streamKey } from '@weir/control-state'
import { refusal } from '../../errors.ts'
import type {
  Audited,
  DerivedStream,
  InputStream,
  NewCredential,
  Scope,
  StreamRecord,
} from '@weir/control-state'
import type { ReadAccess } from '../acls/read-access.ts'
import { abandoning, freeName, topicExists } from './abandon-stream.ts'
import type { Abandoning } from './abandon-stream.ts'
import { reserveDerived, reserveInput } from './reserve-stream.ts'
import type { DerivedRequest, InputRequest, Reserving } from './reserve-stream.ts'
import type { StreamTopics } from './stream-topics.ts'

export type Creation = Reserving &
  Abandoning & {
    readonly topics: Pick<StreamTopics, 'make' | 'startOffsets' | 'deleteEmpty'>
    readonly kafkaPrefix: string
    readonly access: Pick<ReadAccess, 'serve' | 'grant'>
  }

/** A new stream with its first credentials. The clientSecret is not shown again. */
export type Created<
  Stream extends StreamRecord,
  Credential extends NewCredential | undefined = NewCredential,
> = { stream: Stream; credential: Credential }

const bothScopes: readonly Scope[] = ['send', 'listen']

export async function createInput(
  deps: Creation,
  request: InputRequest,
): Promise<Created<InputStream>> {
  const { billingId: account, name } = request
  const what = act(deps, 'stream.create', { account, stream: name })
  demandOwnName(deps, name)
  const credential = newCredential(bothScopes, deps.now())
  const reserved = await reserveInput(deps, request, credential)
  const stream = await abandoning(deps, reserved, async () => {
    await makeTopics(deps, reserved)
    await deps.access.serve(reserved)
    return announce(deps, what, reserved)
  })
  return { stream, credential }
}

export async function createDerived(
  deps: Creation,
  request: DerivedRequest,
): Promise<Created<DerivedStream>> {
  const credential = newCredential(['listen'], deps.now())
  return { stream: await makeDerived(deps, request, credential), credential }
}

/** Creates an output without credentials, for callers who may not have them. An owner creates credentials later. */
export const createUnreadDerived = async (
  deps: Creation,
  request: DerivedRequest,
): Promise<Created<DerivedStream, undefined>> => ({
  stream: await makeDerived(deps, request, undefined),
  credential: undefined,
})

async function makeDerived(
  deps: Creation,
  request: DerivedRequest,
  credential: NewCredential | undefined,
): Promise<DerivedStream> {
  const { billingId: account, linkedStream: stream, name: output } = request
  const { consentLevels: levels, consentLevelType, from } = request
  const target = { account, stream, output, levels, consentLevelType, from }
  const what: Audited = act(deps, 'output.create', target)
  demandOwnName(deps, output)
  const { input, reserved } = await reserveDerived(deps, request, credential)
  return abandoning(deps, reserved, async () => {
    await makeTopics(deps, reserved)
    await deps.access.serve(reserved)
    const startOffsets = await deps.topics.startOffsets(input, request.from)
    await deps.access.grant(reserved)
    return announce(deps, what, { ...reserved, startOffsets })
  })
}

/**
 * Refuses the name `dead`, because a Weir with a shorter prefix may have a dead letter topic `<account>.<stream>.dead`.
 * No other names can collide.
 */
function demandOwnName({ kafkaPrefix }: Creation, name: string): void {
  if (kafkaPrefix !== '' && name === 'dead')
    throw refusal(
      'invalid_request',
      'name must not be dead, which is reserved where KAFKA_PREFIX is set',
    )
}

async function makeTopics(deps: Creation, reserved: StreamRecord): Promise<void> {
  const others = await deps.topics.make(reserved)
  if (others === undefined) return
  await freeName(deps, reserved)
  throw topicExists(deps.kafkaPrefix + others)
}

/**
 * Changes the state to `ready`. From then on the stream exists for everyone.
 * @throws Refusal `unavailable` if the clean-up has acquired the stream meanwhile
 */
async function announce<Stream extends StreamRecord>(
  deps: Creation,
  what: Audited,
  reserved: Stream,
): Promise<Stream> {
  return deps.writer.change(what, (draft) => {
    const current = draft.stream(reserved.billingId, reserved.name)
    if (current?.streamId !== reserved.streamId || current.state !== 'creating')
      throw refusal('unavailable', 'Creating the stream took too long and was undone; try again')
    // The input may have been deleted while the topics were created.
    if (reserved.kind === 'derived') requireInput(draft, reserved.billingId, reserved.linkedStream)
    const stream: Stream = { ...reserved, state: 'ready', stateSinceMs: deps.now() }
    draft.put(streamKey(stream.billingId, stream.name), stream)
    return stream
  })
}

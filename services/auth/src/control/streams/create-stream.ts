// Making a stream (docs/architecture.md 11): reserve the name together with the keys of its eras,
// make the topic, announce it as ready. What stops half-way is left to the clean-up: at once when
// this process can still say so, after a minute when it can't.
import { randomUUID } from 'node:crypto'
import { AppError, hasCode } from '@weir/kit'
import { act, partOf } from '@weir/control-state'
import type { Audited } from '@weir/control-state'
import { putDeleting } from './delete-stream.ts'
import type { Draft } from '@weir/control-state'
import { keysUnderStream, putKeyRecords } from '../keys/key-records.ts'
import type { DerivedStream, InputStream, Scope, StreamRecord } from '@weir/control-state'
import { deadLetterTopicOf, streamKey, topicOf } from '@weir/control-state'
import { requireAccount, requireFreeName, requireInput } from '@weir/control-state'
import type { NewCredential } from '@weir/control-state'
import { newCredential } from '@weir/control-state'
import type { Stewardship } from '../stewardship.ts'
import { allPins, pinTopics, streamPins } from './topic-pins.ts'

export type InputRequest = Pick<
  InputStream,
  'billingId' | 'name' | 'tags' | 'limits' | 'partitions' | 'rotationHours' | 'keyRetentionDays'
>
export type DerivedRequest = Pick<
  DerivedStream,
  | 'billingId'
  | 'name'
  | 'linkedStream'
  | 'tags'
  | 'consentLevels'
  | 'consentLevelType'
  | 'decrypterName'
  | 'from'
>
/** A new stream with the one credential it starts with; the clientSecret is never shown again. */
export type Created<
  Stream extends StreamRecord,
  Credential extends NewCredential | undefined = NewCredential,
> = { stream: Stream; credential: Credential }

const bothScopes: readonly Scope[] = ['send', 'listen']

export async function createInput(
  deps: Stewardship,
  request: InputRequest,
): Promise<Created<InputStream>> {
  const credential = newCredential(bothScopes, deps.now())
  const { billingId, name } = request
  const what = act(deps, 'stream.create', { account: billingId, stream: name })
  const reserving = partOf('stream.create')
  const reserved = await deps.wrappingKeys.changeFor(reserving, { billingId }, (draft) => {
    requireAccount(draft, request.billingId)
    requireFreeName(draft, request.billingId, request.name)
    const stream: InputStream = { ...request, ...newStream(deps, credential), kind: 'input' }
    draft.put(streamKey(stream.billingId, stream.name), stream)
    putKeyRecords(deps, draft, stream)
    return stream
  })
  const topics = [topicOf(reserved)]
  const stream = await orAbandon(deps, reserved, topics, async () => {
    await makeTopics(deps, reserved, topics)
    await deps.access.serve(reserved)
    return announce(deps, what, reserved)
  })
  return { stream, credential }
}

export async function createDerived(
  deps: Stewardship,
  request: DerivedRequest,
): Promise<Created<DerivedStream>> {
  const credential = newCredential(['listen'], deps.now())
  return { stream: await makeDerived(deps, request, credential), credential }
}

/** For those who may not have credentials that read it: an owner makes them later. */
export const createUnreadDerived = async (
  deps: Stewardship,
  request: DerivedRequest,
): Promise<Created<DerivedStream, undefined>> => ({
  stream: await makeDerived(deps, request, undefined),
  credential: undefined,
})

async function makeDerived(
  deps: Stewardship,
  request: DerivedRequest,
  credential: NewCredential | undefined,
): Promise<DerivedStream> {
  const what = act(deps, 'output.create', {
    account: request.billingId,
    stream: request.linkedStream,
    output: request.name,
  })
  const { input, reserved } = await deps.writer.change(partOf('output.create'), (draft) => {
    const linked = requireInput(draft, request.billingId, request.linkedStream)
    requireFreeName(draft, request.billingId, request.name)
    const stream: DerivedStream = {
      ...request,
      ...newStream(deps, credential),
      kind: 'derived',
      linkedStreamId: linked.streamId,
      partitions: linked.partitions,
    }
    draft.put(streamKey(stream.billingId, stream.name), stream)
    return { input: linked, reserved: stream }
  })
  const topics = [topicOf(reserved), deadLetterTopicOf(reserved)]
  return orAbandon(deps, reserved, topics, async () => {
    await makeTopics(deps, reserved, topics)
    await deps.access.serve(reserved)
    const startOffsets = await offsetsNow(deps, input, request.from)
    await deps.access.grant(reserved)
    return announce(deps, what, { ...reserved, startOffsets })
  })
}

function newStream(deps: Stewardship, made: NewCredential | undefined) {
  const nowMs = deps.now()
  return {
    streamId: randomUUID(),
    state: 'creating' as const,
    stateSinceMs: nowMs,
    enabled: true,
    credentials: made === undefined ? [] : [made.credential],
    createdAtMs: nowMs,
  }
}

async function offsetsNow(
  { admin }: Stewardship,
  input: InputStream,
  from: DerivedStream['from'],
): Promise<string[]> {
  const offsets =
    from === 'earliest'
      ? await admin.earliestOffsets(topicOf(input))
      : await admin.endOffsets(topicOf(input), { isolation: 'read_uncommitted' })
  return offsets.map(String)
}

async function makeTopics(
  deps: Stewardship,
  stream: StreamRecord,
  topics: readonly string[],
): Promise<void> {
  for (const topic of topics) {
    const outcome = await deps.admin.createTopic({
      topic,
      partitions: stream.partitions,
      replicationFactor: deps.topicReplication,
      config: allPins(streamPins, deps.topicReplication),
    })
    if (outcome === 'created') continue
    await giveUp(deps, stream, topics.slice(0, topics.indexOf(topic)))
    throw new AppError(
      'topic_exists',
      `Kafka has a topic named ${topic} already that no stream of Weir made; choose another name or delete that topic`,
    )
  }
  // On how many brokers they lie by default is only known now.
  if (deps.topicReplication === undefined)
    await pinTopics(deps.admin, new Map(topics.map((topic) => [topic, streamPins])))
}

/** The name is free again: nobody was told of the stream, so no token or event of it can exist. */
async function giveUp(
  deps: Stewardship,
  stream: StreamRecord,
  made: readonly string[],
): Promise<void> {
  for (const topic of made) await deps.admin.deleteTopic(topic)
  await deps.writer.change(partOf('stream.create'), (draft) => {
    if (draft.stream(stream.billingId, stream.name)?.streamId !== stream.streamId) return
    draft.put(streamKey(stream.billingId, stream.name), null)
    for (const key of keysUnderStream(draft, stream)) draft.putKey(key, null)
  })
}

async function announce<Stream extends StreamRecord>(
  deps: Stewardship,
  what: Audited,
  reserved: Stream,
): Promise<Stream> {
  return deps.writer.change(what, (draft) => {
    const current = draft.stream(reserved.billingId, reserved.name)
    if (current?.streamId !== reserved.streamId || current.state !== 'creating')
      throw new AppError(
        'unavailable',
        'Creating the stream took too long and was undone; try again',
      )
    // The input may have been deleted while the topic was being made.
    if (reserved.kind === 'derived') requireInput(draft, reserved.billingId, reserved.linkedStream)
    const stream: Stream = { ...reserved, state: 'ready', stateSinceMs: deps.now() }
    draft.put(streamKey(stream.billingId, stream.name), stream)
    return stream
  })
}

/** Runs the rest of a creation; when it fails, the name is on its way to be free again. */
async function orAbandon<Stream extends StreamRecord>(
  deps: Stewardship,
  reserved: Stream,
  topics: readonly string[],
  rest: () => Promise<Stream>,
): Promise<Stream> {
  try {
    return await rest()
  } catch (error) {
    if (!hasCode(error, 'topic_exists'))
      await abandon(deps, reserved, topics).catch((cause: unknown) =>
        deps.log.warn(
          { err: cause, stream: topicOf(reserved) },
          'a stream creation was interrupted; it will be cleaned up',
        ),
      )
    throw error
  }
}

async function abandon(
  deps: Stewardship,
  reserved: StreamRecord,
  topics: readonly string[],
): Promise<void> {
  const isNameFree = await deps.writer.change(partOf('stream.create'), (draft) =>
    putAbandoned(deps, draft, reserved),
  )
  deps.cleanUpSoon()
  if (!isNameFree) return
  // The clean-up was faster than the making of the topic, which no record stands for any more.
  for (const topic of topics)
    if ((await deps.admin.topicExists(topic)) && (await deps.admin.isEmpty(topic)))
      await deps.admin.deleteTopic(topic)
}

function putAbandoned(deps: Stewardship, draft: Draft, reserved: StreamRecord): boolean {
  const current = draft.stream(reserved.billingId, reserved.name)
  if (current?.streamId === reserved.streamId && current.state === 'creating')
    putDeleting(draft, current, deps.now())
  return current === undefined
}

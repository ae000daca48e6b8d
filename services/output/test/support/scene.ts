// The test run's services with an account of the scene's own, a producer, and helpers for tests. A scene apart has its
// own output replica, which alone derives the streams of this scene.
import { pollUntil } from '@weir/kit'
import {
  connectProducer,
  signUp,
  createTopicReader,
  freshName,
  joinWorld,
  listen,
} from '@weir/testkit'
import type {
  Account,
  Producer,
  ServiceEnv,
  SharedWorld,
  TestListener,
  TestStream,
  TopicReader,
  World,
} from '@weir/testkit'

export type Scene<World = SharedWorld> = {
  world: World
  account: Account
  topics: TopicReader
  /** Creates a derived stream that the scene's output service derives. */
  output(input: string, name: string, definition: object): Promise<TestStream>
  /** Sends one event and resolves when it is stored. */
  send(stream: TestStream, schemaId: string, event: object): Promise<void>
  watch(stream: TestStream): Promise<TestListener>
  /** Returns the token of a stream, cached. */
  tokenOf(stream: TestStream): Promise<string>
  /** Resolves once a derived stream has derived all records of its input. */
  untilDerived(input: TestStream, output: string, deadlineMs?: number): Promise<void>
  close(): Promise<void>
}

/** Uses the services that the test run shares. */
export const openScene = async (): Promise<Scene> => sceneIn(await joinWorld())

export type ApartScene = Scene<SharedWorld & Pick<World, 'output'>>

/** Starts an output replica that one test may configure, inspect or stop. */
export async function openSceneApart(env: ServiceEnv = {}): Promise<ApartScene> {
  const shared = await joinWorld()
  const decrypterName = freshName('scene')
  const replica: SharedWorld['replica'] = (name, more) =>
    shared.replica(name, { DECRYPTER_NAMES: decrypterName, ...env, ...more })
  return sceneIn({ ...shared, replica, output: await replica('output') }, { decrypterName })
}

async function sceneIn<World extends SharedWorld>(
  world: World,
  derivedBy: { decrypterName?: string } = {},
): Promise<Scene<World>> {
  const account = await signUp(world.auth.url)
  const topics = createTopicReader()
  const tokens = new Map<string, Promise<string>>()
  const listeners: TestListener[] = []
  let producer: Promise<Producer> | undefined

  const tokenOf = (stream: TestStream): Promise<string> => {
    const token = tokens.get(stream.clientId) ?? account.token(stream)
    tokens.set(stream.clientId, token)
    return token
  }

  return {
    world,
    account,
    topics,
    tokenOf,
    output: (input, name, definition) =>
      account.output(input, name, { ...definition, ...derivedBy }),
    async send(stream, schemaId, event) {
      producer ??= connectProducer(world.ingest.url)
      const { send } = await producer
      const { status, body } = await send(event, { token: await tokenOf(stream), schemaId })
      if (status !== 204) throw new Error(`expected 204, got ${status}: ${body}`)
    },
    async watch(stream) {
      const listener = await listen(world.output.url, await tokenOf(stream))
      listeners.push(listener)
      return listener
    },
    async untilDerived(input, output, deadlineMs = 60_000) {
      const ends = await topics.admin.offsets.ends(input.topic, { isolation: 'read_committed' })
      const groupId = `weir.${account.billingId}.${output}`
      const isDone = async () => {
        const offsets = await topics.admin.groups.committedOffsets(groupId, input.topic)
        return ends.every((end, partition) => end === 0n || (offsets[partition] ?? 0n) >= end)
      }
      await pollUntil(isDone, { deadlineMs, everyMs: 100, what: `deriving ${output}` })
      // The last records may become visible to read_committed readers a moment later.
      const derived = `${account.billingId}.${output}`
      const isShown = async () => {
        const written = await topics.admin.offsets.ends(derived, { isolation: 'read_uncommitted' })
        const shown = await topics.admin.offsets.ends(derived, { isolation: 'read_committed' })
        return written.every((end, partition) => (shown[partition] ?? 0n) >= end)
      }
      await pollUntil(isShown, { deadlineMs, everyMs: 20, what: `showing ${output}` })
    },
    async close() {
      for (const listener of listeners) listener.socket.terminate()
      await producer?.then(({ close }) => close())
      await topics.close()
      await world.stop()
    },
  }
}

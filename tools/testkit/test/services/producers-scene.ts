// Shared setup for the tests of examples/producers: an account with the contract clickstream, and a reader of stored
// events.
import {
  asObject,
  compiledExample,
  createTopicReader,
  joinWorld,
  plainEvent,
  signUp,
} from '../../src/index.ts'
import type { Account, SharedWorld, TestStream } from '../../src/index.ts'

export type ProducersScene = {
  readonly world: SharedWorld
  readonly account: Account
  /** Returns the variables that the examples read. */
  settingsOf(stream: TestStream): NodeJS.ProcessEnv
  /** Returns type and consent levels of each event, sorted. */
  storedIn(stream: TestStream, count: number): Promise<string[]>
  stop(): Promise<void>
}

export async function openProducers(): Promise<ProducersScene> {
  const world = await joinWorld()
  const account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const contract = await compiledExample('clickstream')
  const reader = createTopicReader(world.env)
  return {
    world,
    account,
    settingsOf: ({ clientId, clientSecret }) => ({
      WEIR_AUTH_URL: world.auth.url,
      WEIR_INGEST_URL: world.ingest.url,
      WEIR_BILLING_ID: account.billingId,
      WEIR_CLIENT_ID: clientId,
      WEIR_CLIENT_SECRET: clientSecret,
    }),
    async storedIn({ topic }, count) {
      const events = (await reader.readUntil(topic, count)).map((record) =>
        plainEvent(contract, record),
      )
      const levelsOf = (svcMeta: unknown) => String(asObject(svcMeta)['consentLevels'])
      return events
        .map((event) => `${String(event['eventType'])} ${levelsOf(event['svcMeta'])}`)
        .toSorted()
    },
    async stop() {
      await reader.close()
      await world.stop()
    },
  }
}

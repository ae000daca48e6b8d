// Starts Weir like `npm start`, with Kafka's listener for analysts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKekFiles, makePlatformKey, secretsIn, startEverything } from '@weir/devstack'
import type { Everything } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { account as accountAt, freshName, request, setting, textIn } from '@weir/testkit'
import type { Account, Credentials } from '@weir/testkit'
import { createTokenSource, openTopic, ReadError } from '../../src/index.ts'
import type { TopicOptions } from '../../src/index.ts'

export type AnalystsWorld = Pick<Everything, 'auth' | 'ingest' | 'output'> & {
  readonly brokers: string
  readonly account: Account
  optionsOf(credentials: Credentials, topic: string): TopicOptions
  /** Resolves when Kafka has the keys that verify tokens. */
  untilReadable(options: TopicOptions): Promise<void>
  stop(): Promise<void>
}

export async function startAnalystsWorld(): Promise<AnalystsWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-reading-'))
  await makeKekFiles(folder)
  const platformKey = makePlatformKey()
  const everything = await startEverything({
    stack: { folder, ports: 'free', schemaRegistryUrl: setting('SCHEMA_REGISTRY_URL') },
    ports: 'free',
    env: {},
    envOf: secretsIn(folder, platformKey),
  })
  const { auth, ingest, output, stack } = everything
  const billingId = freshName('reading')
  const made = await request(auth.url, platformKey, 'POST', '/v2/accounts', { billingId })
  const brokers = stack.analystBrokers ?? ''
  return {
    auth,
    ingest,
    output,
    brokers,
    account: accountAt(auth.url, billingId, textIn(made.body, 'apiKey')),
    optionsOf: ({ clientId, clientSecret }, topic) => ({
      brokers: [brokers],
      topic,
      groupId: clientId,
      token: createTokenSource({ authUrl: auth.url, billingId, clientId, clientSecret }),
    }),
    async untilReadable(options) {
      const isReadable = async (): Promise<boolean> => {
        try {
          await (await openTopic(options)).close()
          return true
        } catch (error) {
          if (error instanceof ReadError) return false
          throw error
        }
      }
      await pollUntil(isReadable, { deadlineMs: 60_000, what: 'the listener for analysts' })
    },
    async stop() {
      await everything.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

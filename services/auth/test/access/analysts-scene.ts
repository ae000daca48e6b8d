// Starts the services as `npm start` does, with a listener for analysts, and returns settings for an analyst's client.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { followState } from '@weir/control-state'
import type { StateFollowing } from '@weir/control-state'
import {
  kekFilesIn,
  makeKekFiles,
  makePlatformKey,
  REPOSITORY,
  secretsIn,
  startEverything,
} from '@weir/devstack'
import type { Everything } from '@weir/devstack'
import { parseKekFile } from '@weir/fieldcrypt'
import { createKafka } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { account as accountAt, request, setting, textIn } from '@weir/testkit'
import type { Account, Task } from '@weir/testkit'

export type Secrets = { readonly clientId: string; readonly clientSecret: string }

export type AnalystsScene = {
  readonly everything: Everything
  readonly account: Account
  /** Control state, with auth's own keys. */
  readonly following: StateFollowing
  /** The settings that `weir kafka` prints. */
  settingsOf(of: Secrets, group?: string): Task['settings']
  /** The settings of a client that doesn't log in. */
  onTheListener(group: string): Task['settings']
  /** What examples/analysts/read_stream.py writes to standard error. `changed` replaces what `weir kafka` prints. */
  complaintOfScript(
    of: Secrets & { topic: string },
    changed: Readonly<Record<string, string>>,
  ): Promise<string>
  close(): Promise<void>
}

export async function startAnalystsScene(billingId: string): Promise<AnalystsScene> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-analysts-'))
  await makeKekFiles(folder)
  const PLATFORM_KEY = makePlatformKey()
  const everything = await startEverything({
    stack: { folder, ports: 'free', schemaRegistryUrl: setting('SCHEMA_REGISTRY_URL') },
    ports: 'free',
    env: {},
    envOf: secretsIn(folder, PLATFORM_KEY),
  })
  const { auth, stack } = everything
  const made = await request(auth.url, PLATFORM_KEY, 'POST', '/v2/accounts', { billingId })
  const following = await followAsAuth(folder, stack.kafkaBrokers)
  const onTheListener = (group: string): Task['settings'] => ({
    'bootstrap.servers': stack.analystBrokers ?? '',
    'security.protocol': 'SASL_PLAINTEXT',
    'group.id': group,
    'isolation.level': 'read_committed',
  })
  const settingsOf: AnalystsScene['settingsOf'] = (
    { clientId, clientSecret },
    group = clientId,
  ) => ({
    ...onTheListener(group),
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.oauthbearer.method': 'oidc',
    'sasl.oauthbearer.token.endpoint.url': `${auth.url}/oauth2/token`,
    'sasl.oauthbearer.client.id': clientId,
    'sasl.oauthbearer.client.secret': clientSecret,
  })
  return {
    everything,
    account: accountAt(auth.url, billingId, textIn(made.body, 'apiKey')),
    following,
    onTheListener,
    settingsOf,
    async complaintOfScript(of, changed) {
      const file = join(folder, 'settings')
      const printed = { ...settingsOf(of), ...registryOf(auth.url, of) }
      await writeFile(file, linesOf({ ...printed, ...changed }))
      return complaintOf(of.topic, file)
    },
    async close() {
      await following.close()
      await everything.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const registryOf = (authUrl: string, { clientId, clientSecret }: Secrets) => ({
  '# schema.registry.url': `${authUrl}/registry`,
  '# basic.auth.user.info': `${clientId}:${clientSecret}`,
})

const linesOf = (settings: Task['settings']): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

function complaintOf(topic: string, file: string): Promise<string> {
  const python = join(REPOSITORY, '.weir/venv/bin/python')
  const script = join(REPOSITORY, 'examples/analysts/read_stream.py')
  return promisify(execFile)(python, [script, topic, file], { timeout: 120_000 }).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  )
}

async function followAsAuth(folder: string, brokers: string): Promise<StateFollowing> {
  const log = createLog('analysts-test', 'silent')
  const kafka = createKafka({ brokers: [brokers], clientId: 'analysts-test', log })
  const kek = parseKekFile(await readFile(kekFilesIn(folder).auth, 'utf8'))
  const following = followState({
    kafka,
    service: 'analysts-test',
    kek,
    mayUnwrap: () => true,
    log,
  })
  await following.start()
  return following
}

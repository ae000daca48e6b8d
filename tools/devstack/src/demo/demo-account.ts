// The demo account of `npm start` (docs/wire-format.md Addresses). It is created once, reused later, and repaired if
// `.weir/demo.json` is lost or out of date.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApi, expectDemoStatus, isJsonObject, objectOf, textOf } from './api.ts'
import type { DemoApi } from './api.ts'

export type DemoStream = {
  name: string
  kind: 'input' | 'derived'
  level?: number
  topic: string
  clientId: string
  clientSecret: string
}
export type DemoAccount = {
  authUrl: string
  ingestUrl: string
  outputUrl: string
  kafkaBrokers: string
  /** The address for Kafka clients with a stream's own credentials. */
  analystBrokers?: string
  /** The prefix of the names of topics and groups. */
  kafkaPrefix?: string
  /** auth's registry address, for clients with a stream's own credentials. */
  schemaRegistryUrl: string
  billingId: string
  apiKey: string
  streams: DemoStream[]
}
export type Addresses = Pick<
  DemoAccount,
  'authUrl' | 'ingestUrl' | 'outputUrl' | 'kafkaBrokers' | 'analystBrokers' | 'kafkaPrefix'
>

const billingId = 'demo'
const input = 'demo'
const levels = [0, 1, 2]
/** As in docs/guide/concepts.md. */
const purposes = [
  { name: 'shop', title: 'running the shop', level: 0 },
  { name: 'analytics', title: 'analytics', level: 1 },
  { name: 'advertising', title: 'advertising', level: 2 },
]

/** Creates what the demo account lacks, and writes the account to `file`, which only its owner can read. */
export async function ensureDemo(options: {
  addresses: Addresses
  platformKey: string
  file: string
  contractsFolder: string
}): Promise<DemoAccount> {
  const { addresses, platformKey, file, contractsFolder } = options
  const known = await readDemo(file)
  const apiKey = await ensureAccount(addresses.authUrl, platformKey, known)
  const api = createApi(addresses.authUrl, apiKey)
  await ensureContracts(api, contractsFolder)
  const topicOf = (name: string) => `${addresses.kafkaPrefix ?? ''}${billingId}.${name}`
  const wanted: Wanted[] = [
    { name: input, kind: 'input' },
    ...levels.map((level) => ({ name: `${input}-${level}`, kind: 'derived' as const, level })),
  ]
  const streams: DemoStream[] = []
  for (const each of wanted)
    streams.push(await ensureStream(api, { ...each, topic: topicOf(each.name) }, known))
  const schemaRegistryUrl = `${addresses.authUrl}/registry`
  const demo: DemoAccount = { ...addresses, schemaRegistryUrl, billingId, apiKey, streams }
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return demo
}

/** Reads the account of an earlier start. Only its secrets are reused, and each is tried first. */
async function readDemo(file: string): Promise<Record<string, unknown>> {
  try {
    return objectOf(await readFile(file, 'utf8'))
  } catch {
    return {}
  }
}

async function ensureAccount(
  authUrl: string,
  platformKey: string,
  known: Record<string, unknown>,
): Promise<string> {
  const { apiKey } = known
  if (typeof apiKey === 'string') {
    const reply = await createApi(authUrl, apiKey).get('/v2/account')
    if (reply.status === 200) return apiKey
  }
  const platform = createApi(authUrl, platformKey)
  const made = expectDemoStatus(
    await platform.post('/v2/accounts', { billingId }),
    'Creating the demo account',
    201,
    409,
  )
  if (made.status === 201) {
    const own = textOf(made.body, 'apiKey')
    const named = await createApi(authUrl, own).put('/v2/account/purposes', purposes)
    expectDemoStatus(named, 'Naming the levels of the demo account', 200)
    return own
  }
  const added = await platform.post(`/v2/accounts/${billingId}/keys`, {})
  return textOf(
    expectDemoStatus(added, 'Adding an API key to the demo account', 201).body,
    'apiKey',
  )
}

async function ensureContracts(api: DemoApi, folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.json')).sort()) {
    const contract = objectOf(await readFile(join(folder, name), 'utf8'))
    const reply = await api.post('/v2/contracts', contract)
    expectDemoStatus(reply, `Creating the contract ${name}`, 201, 409)
  }
}

type Wanted = Omit<DemoStream, 'topic' | 'clientId' | 'clientSecret'>

async function ensureStream(
  api: DemoApi,
  stream: Wanted & Pick<DemoStream, 'topic'>,
  known: Record<string, unknown>,
): Promise<DemoStream> {
  const folder = stream.kind === 'input' ? '/v2/streams' : `/v2/streams/${input}/outputs`
  const made = await api.post(folder, creationOf(stream))
  expectDemoStatus(made, `Creating the stream ${stream.name}`, 201, 409)
  if (made.status === 201) {
    const { credentials } = made.body
    return {
      ...stream,
      ...credentialsOf(Array.isArray(credentials) ? credentials[0] : credentials),
    }
  }
  const kept = keptCredentials(known, stream.name)
  if (kept !== undefined && (await areValid(api, kept))) return { ...stream, ...kept }
  const added = await api.post(`${folder}/${stream.name}/credentials`, {})
  const { body } = expectDemoStatus(added, `Adding credentials to the stream ${stream.name}`, 201)
  return { ...stream, ...credentialsOf(body) }
}

function creationOf({ name, level }: Wanted): Record<string, unknown> {
  if (level === undefined) return { name }
  return { name, consentLevels: [level], consentLevelType: 'CUMULATIVE', from: 'earliest' }
}

type Credentials = Pick<DemoStream, 'clientId' | 'clientSecret'>

function credentialsOf(value: unknown): Credentials {
  const body = isJsonObject(value) ? value : {}
  return { clientId: textOf(body, 'clientId'), clientSecret: textOf(body, 'clientSecret') }
}

function keptCredentials(known: Record<string, unknown>, name: string): Credentials | undefined {
  const streams: unknown[] = Array.isArray(known['streams']) ? known['streams'] : []
  const stream = streams.find((each) => isJsonObject(each) && each['name'] === name)
  try {
    return stream === undefined ? undefined : credentialsOf(stream)
  } catch {
    return undefined
  }
}

async function areValid(api: DemoApi, credentials: Credentials): Promise<boolean> {
  return (await api.post('/auth', { billingId, ...credentials })).status === 200
}

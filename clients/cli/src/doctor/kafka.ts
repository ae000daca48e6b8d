// Checks what analysts and `weir export` need: Kafka's listener for analysts, and auth's schemas. Other commands don't
// need these, so problems are only warnings.
import { consumerGroupOf, requireTopic } from '../accounts/account.ts'
import type { CliAccount } from '../accounts/account.ts'
import type { StreamCredentials } from '../accounts/profile.ts'
import { requestApi, urlOf } from '../api/request.ts'
import { openTopic } from '../export/topic.ts'
import { claimsOf, idTokenOf, requestToken } from '../api/id-token.ts'
import { fromError, ok, warning } from './findings.ts'
import type { DoctorFinding } from './findings.ts'

const kafkaTimeoutMs = 5_000

/** Connects like a Kafka client of an output. */
export async function checkKafka(
  account: CliAccount,
  isTls: boolean,
): Promise<readonly DoctorFinding[]> {
  const output = await firstOutput(account)
  if (output === undefined) return []
  const { name, token, credentials } = output
  try {
    const topic = await openTopic(
      {
        name,
        topic: requireTopic(account, name),
        group: consumerGroupOf(account, credentials),
        brokers: account.analystBrokers,
        isTls,
        token: () => Promise.resolve(token),
        deadlineMs: kafkaTimeoutMs,
      },
      { fromMs: undefined, untilMs: undefined },
      new AbortController().signal,
    )
    await topic.close()
    return [ok('Kafka', `${account.analystBrokers} lets the credentials of ${name} read its topic`)]
  } catch (error) {
    const finding = fromError('Kafka', error, 'warning')
    return [/SASL.state/i.test(finding.message) ? otherListener(account) : finding]
  }
}

const otherListener = ({ analystBrokers }: CliAccount): DoctorFinding =>
  warning(
    'Kafka',
    `${analystBrokers} is a listener without login, which is for the services of Weir`,
    "Set WEIR_ANALYST_BROKERS to Kafka's listener for analysts.",
  )

async function firstOutput(
  account: CliAccount,
): Promise<{ name: string; token: string; credentials: StreamCredentials } | undefined> {
  if (account.billingId === undefined) return undefined
  for (const [name, credentials] of account.streams) {
    const token = await requestToken(account, name, credentials).then(idTokenOf, () => undefined)
    if (token !== undefined && claimsOf(token).isOutput) return { name, token, credentials }
  }
  return undefined
}

/** Sends the API key. Without a key, sends the credentials of a stream, like an Avro reader. */
export async function checkSchemas(account: CliAccount): Promise<readonly DoctorFinding[]> {
  const authorization = authorizationOf(account)
  if (authorization === undefined) return []
  try {
    const url = urlOf(account.authUrl, ['registry', 'subjects'])
    const { status, json } = await requestApi({ method: 'GET', url, headers: { authorization } })
    if (status === 200 && Array.isArray(json))
      return [ok('schemas', `auth returns the schemas of ${counted(json.length)}`)]
    return [warning('schemas', `auth returns ${status} at ${url.pathname}`, onlyReaders)]
  } catch (error) {
    return [fromError('schemas', error, 'warning')]
  }
}

function authorizationOf({ apiKey, credentials, streams }: CliAccount): string | undefined {
  if (apiKey !== undefined) return `Bearer ${apiKey}`
  const [first] = streams.values()
  const { clientId, clientSecret } = credentials ?? first ?? {}
  if (clientId === undefined || clientSecret === undefined) return undefined
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
}

const onlyReaders = 'Only exports and your own Avro readers need the schemas.'
const counted = (subjects: number): string =>
  `${subjects} ${subjects === 1 ? 'subject' : 'subjects'}`

// What analysts come to, and `weir export`: Kafka's listener for them, and the schema registry. Nothing else of the command
// needs these, so what is wrong with them is a warning.
import type { Account } from '../account.ts'
import { openTopic } from '../export/topic.ts'
import { idTokenOf, requestToken } from '../id-token.ts'
import { textAt, tryParseJson } from '../json.ts'
import { fromError, ok, warning } from './findings.ts'
import type { Finding } from './findings.ts'

const kafkaTimeoutMs = 5_000
const registryTimeoutMs = 5_000

/** With the credentials of an output, as its own Kafka client would. */
export async function checkKafka(account: Account, isTls: boolean): Promise<readonly Finding[]> {
  const output = await firstOutput(account)
  if (output === undefined) return []
  const { name, token } = output
  try {
    const topic = await openTopic(
      {
        name,
        topic: `${account.billingId ?? ''}.${name}`,
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
    return [fromError('Kafka', error, 'warning')]
  }
}

async function firstOutput(account: Account): Promise<{ name: string; token: string } | undefined> {
  if (account.billingId === undefined) return undefined
  for (const name of account.streams.keys()) {
    const token = await requestToken(account, name).then(idTokenOf, () => undefined)
    if (token !== undefined && kindOf(token) === 'derived') return { name, token }
  }
  return undefined
}

/** Read, not verified: Kafka does that. */
const kindOf = (token: string): string | undefined =>
  textAt(tryParseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()), 'kind')

export async function checkRegistry(url: string): Promise<Finding> {
  const { host } = URL.parse(url) ?? { host: 'its address' }
  const told = 'WEIR_REGISTRY_URL names another one; only exports need it.'
  try {
    const { username, password, origin, pathname } = new URL(url)
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    const answer = await fetch(`${origin}${pathname.replace(/\/$/, '')}/subjects`, {
      headers: username === '' ? {} : { authorization: `Basic ${login.toString('base64')}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(registryTimeoutMs),
    })
    await answer.body?.cancel()
    if (answer.ok) return ok('registry', `${host} answers`)
    return warning('registry', `${host} answers with ${answer.status}`, told)
  } catch {
    return warning('registry', `${host} can't be reached`, told)
  }
}

// Sends one event as a producer does. Ingest accepts tokens of streams, not API keys. So the page creates credentials
// with the scope `send` for one event, and deletes them afterwards.
import { Refused } from '../api/calls.ts'
import type { Session } from '../session.ts'
import { objectOf, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'

/** Resolves once the event is stored. Throws Refused if auth or ingest refuses. */
export async function sendEvent(
  { billingId, calls }: Session,
  { input, contractId, event }: { input: string; contractId: string; event: Json },
): Promise<void> {
  const path = `/v2/streams/${input}/credentials`
  const made = objectOf(await calls.auth('POST', path, { scope: 'send' }))
  const clientId = textOf(made['clientId'])
  try {
    const secrets = { billingId, clientId, clientSecret: made['clientSecret'] }
    const token = textOf(objectOf(await calls.auth('POST', '/auth', secrets))['idToken'])
    await post(`${calls.where.ingestUrl}/event`, { token, contractId, event })
  } finally {
    await calls.auth('DELETE', `${path}/${clientId}`)
  }
}

async function post(
  url: string,
  { token, contractId, event }: { token: string; contractId: string; event: Json },
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'svc-schema-id': contractId,
      'content-type': 'application/json',
    },
    body: JSON.stringify(event),
    credentials: 'omit',
  }).catch(() => undefined)
  if (response === undefined) throw new Refused(0, [`${url} does not answer`])
  if (response.status === 204) return
  const help = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1]
  const sentence = await response.text()
  throw new Refused(response.status, [sentence || `Ingest returned ${response.status}`], { help })
}

// Sends events of a site's own pages to ingest, because a browser must not have a stream's credentials. Needs only Node.
//
//   SITE=https://shop.example.com SCHEMA=clickstream node relay.mjs
//
// WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET name the input stream. Optional: PORT (8090), WEIR_AUTH_URL and
// WEIR_INGEST_URL (those of `npm start`).
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

const names = ['SITE', 'SCHEMA', 'WEIR_BILLING_ID', 'WEIR_CLIENT_ID', 'WEIR_CLIENT_SECRET']
const missing = names.filter((name) => !process.env[name])
if (missing.length > 0) stop(`Not set: ${missing.join(', ')}`)
const [address, schema, billingId, clientId, clientSecret] = names.map((name) => process.env[name])
if (!/^https?:/.test(address) || !URL.canParse(address))
  stop('SITE must be an address such as https://shop.example.com')
const site = new URL(address).origin
const { PORT = 8090, ...env } = process.env
if (!/^\d+$/.test(PORT) || PORT > 65_535) stop('PORT must be a whole number up to 65535')
const auth = env.WEIR_AUTH_URL ?? 'http://127.0.0.1:8081'
const ingest = env.WEIR_INGEST_URL ?? 'http://127.0.0.1:8082'
const bytesMax = 65_536

function stop(why) {
  console.error(why)
  process.exit(1)
}

/** The lines logged in this hour. Each is logged once, so that a stranger can't fill the log. */
const logged = new Set()
setInterval(() => logged.clear(), 3_600_000).unref()
function logOnce(line) {
  if (logged.has(line) || logged.size >= 100) return
  logged.add(line)
  console.error(line)
}

/**
 * Returns the levels that the visitor has agreed to, and a warning if they are unknown. Here an HttpOnly cookie of the
 * site's server has them, such as consent=0.1, or consent= for nothing.
 */
function consentOf(cookies = '') {
  const levels = /(?:^|; )consent=([^;]*)/.exec(cookies)?.[1]
  if (levels !== undefined && /^(\d+(\.\d+)*)?$/.test(levels))
    return [levels === '' ? [] : levels.split('.').map(Number)]
  const what =
    levels === undefined
      ? 'without a cookie `consent`'
      : 'with a cookie `consent` that is not of the form 0.1'
  const warning = `An event came ${what}: no output gets it`
  logOnce(`${warning} (later ones in this hour are not logged)`)
  return [[], warning]
}

async function post(url, headers, body) {
  const signal = AbortSignal.timeout(30_000)
  const options = { method: 'POST', headers, body: JSON.stringify(body), signal }
  const answer = await fetch(url, options).catch(({ cause, message }) => {
    throw new Error(`${url} cannot be reached: ${cause?.code ?? message}`)
  })
  const text = await answer.text()
  const { headers: got, status } = answer
  const code = got.get('svc-error')
  if ([200, 204, 400, 413, 429, 503].includes(status))
    return [status, text, { code, retryAfter: got.get('retry-after') }]
  throw new Error(`${url} says ${answer.status}: ${text}`)
}

let token = { expiresAt: 0 }
async function idToken() {
  if (token.expiresAt * 1000 < Date.now() + 60_000)
    token = JSON.parse((await post(`${auth}/auth`, {}, { billingId, clientId, clientSecret }))[1])
  return token.idToken
}

async function relay(request) {
  const { origin, cookie, 'content-length': length } = request.headers
  if (origin !== site) {
    logOnce(
      `Refused: ${origin === undefined ? 'no Origin header' : `the origin ${origin}`}, because SITE is ${site}`,
    )
    return [403, 'Only for pages of the site']
  }
  if (request.method === 'OPTIONS') return [204]
  if (request.method !== 'POST') return [405, 'Send the event with POST']
  // Node reads no more than this length. A body of unknown length is refused, too.
  if (!(Number(length) <= bytesMax)) return [413, `An event has at most ${bytesMax} bytes`]
  const event = await json(request).catch(() => undefined)
  if (event === undefined) return [400, 'The body is not JSON']
  if (Array.isArray(event)) return [400, 'The body is a JSON array; send each event alone']
  if (typeof event !== 'object' || event === null) return [400, 'The body is not a JSON object']
  const headers = { authorization: `Bearer ${await idToken()}`, 'svc-schema-id': schema }
  const [consentLevels, warning] = consentOf(cookie)
  const svcMeta = { consentLevels }
  const [status, text, { code, retryAfter }] = await post(`${ingest}/event`, headers, {
    ...event,
    svcMeta,
  })
  // The text may contain values of the event. The code does not.
  if (code === 'unknown_schema_id')
    logOnce(
      `Ingest refused an event: ${code}, because it has no active contract ${schema} (SCHEMA)`,
    )
  else if (status === 400)
    logOnce(
      `Ingest refused an event: ${code}; its sentence is in the response to the page (later ones in this hour with this code are not logged)`,
    )
  return [status, text, { 'relay-warning': warning, 'retry-after': retryAfter }]
}

const cors = {
  'access-control-allow-origin': site,
  'access-control-allow-credentials': 'true',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-expose-headers': 'relay-warning, retry-after',
}
const server = createServer(async (request, response) => {
  const [status, sentence, headers = {}] = await relay(request).catch((error) => {
    console.error(String(error))
    return [502, 'The event could not be sent']
  })
  // The warning is a header, because a 204 has no body.
  const more = Object.entries(headers).filter(([, value]) => value)
  response.writeHead(status, { ...cors, ...Object.fromEntries(more) }).end(sentence)
})
server.on('error', ({ code }) => stop(`The relay cannot listen on port ${PORT}: ${code}`))
server.listen(PORT, () => console.log(`The relay listens on port ${PORT}`))

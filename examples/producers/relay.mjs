// Sends events of a site's own pages to ingest, because a browser must not have a stream's credentials. Needs only Node.
//
//   SITE=https://shop.example.com SCHEMA=clickstream node relay.mjs
//
// WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET name the input stream.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

const { SITE, SCHEMA, PORT = 8090, ...env } = process.env
const auth = env.WEIR_AUTH_URL ?? 'http://127.0.0.1:8081'
const ingest = env.WEIR_INGEST_URL ?? 'http://127.0.0.1:8082'
const [billingId, clientId, clientSecret] = ['BILLING_ID', 'CLIENT_ID', 'CLIENT_SECRET'].map(
  (name) => env[`WEIR_${name}`],
)
if (!SITE || !SCHEMA || !clientSecret) throw new Error('Set SITE, SCHEMA and WEIR_…, as above')
const bytesMax = 65_536

/** What the visitor has agreed to, as the site's server knows it: here its HttpOnly cookie, such as consent=0.1. */
const consentOf = (cookies = '') =>
  /(?:^|; )consent=(\d[\d.]*)/.exec(cookies)?.[1].split('.').map(Number) ?? []

async function post(url, headers, body) {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if ([200, 204, 400, 413, 429, 503].includes(answer.status)) return [answer.status, text]
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
  if (request.method !== 'POST' || origin !== SITE) return [403, 'Only for pages of the site']
  // Node reads no more than this length. A body of unknown length is refused, too.
  if (!(Number(length) <= bytesMax)) return [413, `An event has at most ${bytesMax} bytes`]
  const event = await json(request).catch(() => undefined)
  if (event === undefined) return [400, 'The body is not JSON']
  const headers = { authorization: `Bearer ${await idToken()}`, 'svc-schema-id': SCHEMA }
  const svcMeta = { consentLevels: consentOf(cookie) }
  return post(`${ingest}/event`, headers, { ...event, svcMeta })
}

const cors = { 'access-control-allow-origin': SITE, 'access-control-allow-credentials': 'true' }
createServer(async (request, response) => {
  const [status, sentence] = await relay(request).catch((error) => {
    console.error(String(error))
    return [502, 'The event could not be sent']
  })
  response.writeHead(status, cors).end(sentence)
}).listen(PORT, () => console.log(`The relay listens on port ${PORT}`))

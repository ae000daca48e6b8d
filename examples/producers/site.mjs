// A site with one page, to try relay.mjs. It asks for consent, keeps the answer in a cookie that only this server sets,
// and sends an event to the relay. Needs only Node.
//
//   node site.mjs
//
// Optional: PORT (8000), and RELAY, the address of the relay (http://localhost:8090).
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const { PORT = 8000, RELAY = 'http://localhost:8090' } = process.env

const answers = {
  0.1: 'To run and to improve the shop',
  0: 'Only to run the shop',
  '': 'No',
}

const pageFor = (levels) => `<!doctype html>
<meta charset="utf-8">
<title>Shop</title>
<form method="post">
  May we use your clicks?
  <button name="levels" value="0.1">${answers['0.1']}</button>
  <button name="levels" value="0">${answers['0']}</button>
  <button name="levels" value="">${answers['']}</button>
</form>
<p>Your answer: ${answers[levels] ?? 'none yet'}</p>
<p><button id="buy">Buy</button> <output></output></p>
<script>
  document.querySelector('#buy').addEventListener('click', async () => {
    const event = {
      producerSessionId: 'session-0001', // of your shop
      customer: { id: 'customer-00042' },
      url: 'https://shop.example.com' + location.pathname,
      eventType: 'button_click',
      referrer: 'https://shop.example.com/',
      userAgent: navigator.userAgent,
      conversion: 0,
      abTests: [],
    }
    const say = (text) => (document.querySelector('output').textContent = text)
    try {
      const response = await fetch('${RELAY}', {
        method: 'POST',
        credentials: 'include', // with the cookie
        body: JSON.stringify(event),
      })
      const said = response.headers.get('relay-warning') ?? (await response.text())
      say(response.status + ' ' + said)
    } catch {
      say('No answer: the relay is not running, or its SITE is not ' + location.origin)
    }
  })
</script>
`

const server = createServer(async (request, response) => {
  const { origin, host, cookie: cookies = '', 'content-length': length } = request.headers
  if (request.method !== 'POST') {
    const [, given] = /(?:^|; )consent=([^;]*)/.exec(cookies) ?? []
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageFor(given))
    return
  }
  // Another site must not answer for the visitor.
  const isOwn = origin === `http://${host}` || origin === `https://${host}`
  if (!isOwn || !(Number(length) <= 100)) return response.writeHead(403).end()
  const levels = new URLSearchParams(await text(request)).get('levels') ?? ''
  if (!Object.hasOwn(answers, levels)) return response.writeHead(400).end()
  const cookie = `consent=${levels}; HttpOnly; SameSite=Lax; Path=/; Max-Age=15552000`
  response.writeHead(303, { 'set-cookie': cookie, location: '/' }).end()
})
server.on('error', ({ code }) => {
  console.error(`The site cannot listen on port ${PORT}: ${code}`)
  process.exit(1)
})
server.listen(PORT, () => console.log(`The site: http://localhost:${PORT}`))

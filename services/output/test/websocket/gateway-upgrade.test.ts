// Which requests are upgraded to a WebSocket, and the responses to other requests (docs/errors.md WebSocket).
import { connect as connectTcp } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { AppError, pollUntil } from '@weir/kit'
import { derivedStream, credentialOf } from '../support/streams.ts'
import { openGateway, watched } from '../support/gateway.ts'

let scene: Awaited<ReturnType<typeof openGateway>>
const stream = watched()

beforeEach(async () => {
  scene = await openGateway()
  scene.putStream(stream)
})
afterEach(() => scene.close())

async function refusalOf(connecting: ReturnType<typeof scene.connect>) {
  const { status, header, body } = await connecting
  return { status, code: header('svc-error'), body, challenge: header('www-authenticate') }
}

describe('with a good token', () => {
  test('of an input stream or a derived one the upgrade is answered 101', async () => {
    const derived = derivedStream(stream, { credentials: [credentialOf(['listen'])] })
    scene.putStream(derived)
    const answers = [
      await scene.connect(scene.tokenOf(stream)),
      await scene.connect(scene.tokenOf(derived)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([101, 101])
    expect(scene.feeds.made.map(({ stream: fed }) => fed.name)).toEqual(['clicks', 'clicks-0'])
  })

  test('a query string is ignored, a token in it included', async () => {
    const token = scene.tokenOf(stream)
    const { status } = await scene.connect(token, { path: '/ws?stream=other&token=x' })
    const refused = await scene.connect(undefined, { path: `/ws?token=${token}` })
    expect([status, refused.status]).toEqual([101, 401])
  })

  test('browsers send it as a subprotocol, and are answered the subprotocol weir', async () => {
    const protocols = ['weir', `bearer.${scene.tokenOf(stream)}`]
    for (const offered of [protocols, protocols.toReversed()]) {
      const { status, header, socket } = await scene.connect(undefined, { protocols: offered })
      expect([status, header('sec-websocket-protocol'), socket.protocol]).toEqual([
        101,
        'weir',
        'weir',
      ])
    }
  })

  test('in the header, no subprotocol is answered', async () => {
    const { header } = await scene.connect(scene.tokenOf(stream))
    expect(header('sec-websocket-protocol')).toBeUndefined()
  })
})

describe('401 invalid_token, with the same sentence for whatever may be a token', () => {
  const sentence = {
    status: 401,
    code: 'invalid_token',
    challenge: 'Bearer error="invalid_token"',
    body: 'The token is missing, malformed, expired or revoked; get a new one\n',
  }

  const noToken = {
    ...sentence,
    body: 'An id token is needed, in the header Authorization: Bearer <idToken>\n',
  }

  test('without a token', async () => {
    for (const protocols of [[], ['weir'], [`bearer.${scene.tokenOf(stream)}`]])
      expect(await refusalOf(scene.connect(undefined, { protocols }))).toEqual(noToken)
    expect(await refusalOf(scene.connect(''))).toEqual(noToken)
  })

  test.each(['garbage', 'a.b.c'])('with the malformed token «%s»', async (token) => {
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
  })

  test('with an expired token', async () => {
    const token = scene.tokenOf(stream, 60)
    scene.pass(60_000)
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
  })

  test('with a token of revoked credentials, or of a stream that is gone', async () => {
    const token = scene.tokenOf(stream)
    scene.putStream({ ...stream, credentials: [] })
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
    scene.putStream({ ...stream, state: 'deleting' })
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
    scene.removeStream(stream)
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
  })

  test('with a token of a stream that had the name before', async () => {
    const token = scene.tokenOf(stream)
    scene.putStream(watched({ credentials: stream.credentials }))
    expect(await refusalOf(scene.connect(token))).toEqual(sentence)
  })

  test('with a bad token in the subprotocol', async () => {
    const protocols = ['weir', 'bearer.garbage']
    expect(await refusalOf(scene.connect(undefined, { protocols }))).toEqual(sentence)
  })

  test('with a bad header, even when the subprotocol holds a good token', async () => {
    const protocols = ['weir', `bearer.${scene.tokenOf(stream)}`]
    expect(await refusalOf(scene.connect('garbage', { protocols }))).toEqual(sentence)
  })
})

test('403 scope_missing with credentials that may only send', async () => {
  const sender = watched({ name: 'sends', credentials: [credentialOf(['send'])] })
  scene.putStream(sender)
  expect(await refusalOf(scene.connect(scene.tokenOf(sender)))).toMatchObject({
    status: 403,
    code: 'scope_missing',
    body: 'These credentials are for sending; listening needs the scope listen\n',
  })
  expect(scene.refusals).toMatchObject([
    { action: 'read.watch', actor: { kind: 'credentials' }, refused: 'scope_missing' },
  ])
})

test('403 stream_disabled for a stream that is disabled, and 101 once it is enabled again', async () => {
  const token = scene.tokenOf(stream)
  scene.putStream({ ...stream, enabled: false })
  expect(await refusalOf(scene.connect(token))).toMatchObject({
    status: 403,
    code: 'stream_disabled',
    body: 'The stream clicks is disabled\n',
  })
  scene.putStream(stream)
  expect((await scene.connect(token)).status).toBe(101)
})

test.each(['/', '/ws/', '/WS', '/wss', '/ws/clicks', '/?/ws'])(
  '404 not_found at %s, whatever the token',
  async (path) => {
    const refused = { status: 404, code: 'not_found' }
    expect(await refusalOf(scene.connect(scene.tokenOf(stream), { path }))).toMatchObject(refused)
    expect(await refusalOf(scene.connect(undefined, { path }))).toMatchObject(refused)
  },
)

describe('503 unavailable, with Retry-After', () => {
  const unavailable = { status: 503, code: 'unavailable', body: 'Not ready; try again\n' }

  test('while revocations may be missing', async () => {
    scene.setFresh(false)
    const refused = scene.connect(scene.tokenOf(stream))
    expect(await refusalOf(refused)).toMatchObject(unavailable)
    expect((await refused).header('retry-after')).toBe('1')
  })

  test('when the ends of the topic cannot be told', async () => {
    scene.feeds.joinAfter(
      Promise.reject(new AppError('kafka.unavailable', 'Kafka does not answer')),
    )
    expect(await refusalOf(scene.connect(scene.tokenOf(stream)))).toMatchObject(unavailable)
    const [feed] = scene.feeds.made
    expect([feed?.watchers.size, feed?.closes]).toEqual([0, 1])
  })

  test('once the gateway is closing', async () => {
    await scene.gateway.close()
    expect(await refusalOf(scene.connect(scene.tokenOf(stream)))).toMatchObject(unavailable)
  })
})

describe('a handshake that is none', () => {
  const ask = (lines: string[]) =>
    new Promise<string>((resolve, reject) => {
      const head = ['GET /ws HTTP/1.1', 'Host: x', `Authorization: Bearer ${scene.tokenOf(stream)}`]
      let answer = ''
      const socket = connectTcp(scene.port, '127.0.0.1')
      socket.on('data', (data) => (answer += data.toString()))
      socket.on('close', () => resolve(answer)).on('error', reject)
      socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n`)
    })

  test('is answered 400, and leaves nobody watching', async () => {
    const answer = await ask([
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: short',
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    const [feed] = scene.feeds.made
    expect([feed?.watchers.size, feed?.closes]).toEqual([0, 1])
  })
})

test('one credential has so many connections and no more: 429 with Retry-After, until one closes', async () => {
  await scene.close()
  scene = await openGateway({ webSocketsMax: 2 })
  const others = derivedStream(stream, { credentials: [credentialOf(['listen'])] })
  scene.putStream(stream)
  scene.putStream(others)
  const connect = () => scene.connect(scene.tokenOf(stream))
  const [first] = [await connect(), await connect()]
  const refused = await connect()
  expect([refused.status, refused.header('svc-error'), refused.header('retry-after')]).toEqual([
    429,
    'too_many_websockets',
    '10',
  ])
  expect(scene.refusals).toMatchObject([{ refused: 'too_many_websockets' }])
  expect((await scene.connect(scene.tokenOf(others))).status).toBe(101)
  first?.socket.close()
  await first?.closed
  const isFree = async () => (await connect()).status === 101
  await pollUntil(isFree, { deadlineMs: 60_000, what: 'a place that is free' })
})

// Every access method of the settings works against a real broker, for storing, transactions and following. A refused
// login is reported with what to correct, and without a secret.
import { Writable } from 'node:stream'
import { writeFile } from 'node:fs/promises'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createLog, pollUntil } from '@weir/kit'
import { makeAuthority } from '@weir/devstack'

import { createKafka } from '../../src/connect/client.ts'
import type { Kafka } from '../../src/connect/client.ts'
import type { KafkaAccess } from '../../src/connect/access/kafka-access.ts'
import { kafkaTrouble } from '../../src/connect/kafka-trouble.ts'
import { uniqueName } from '../support.ts'
import { lookFromOutside } from '../support-broker.ts'
import type { Outside } from '../support-broker.ts'
import {
  CLIENT_SECRET,
  PASSWORD,
  SESSION_MS,
  startSecuredBroker,
  USER,
} from '../support-secured-broker.ts'
import type { SecuredBroker } from '../support-secured-broker.ts'
import { follow, keepBusy, openSessionOn } from '../support-secured-session.ts'
import type { Session, Steady } from '../support-secured-session.ts'

let broker: SecuredBroker
let outside: Outside
let session: Session
let steady: Steady
const logged: string[] = []
beforeAll(async () => {
  broker = await startSecuredBroker()
  outside = await lookFromOutside([broker.address('PLAIN')])
  session = await openSession(broker.access('TLSLOGIN', { ...tls(), ...(await oauth()) }))
  steady = keepBusy(session)
})

afterAll(async () => {
  await steady?.stop()
  await session?.close()
  await outside?.close()
  await broker?.stop()
})

/** Collects the log, which the last test checks. */
function connect(access: KafkaAccess, lines: string[] = []): Kafka {
  const destination = new Writable({
    write(chunk, _, done) {
      logged.push(String(chunk))
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLog('test', 'debug', destination)
  return createKafka({ ...access, clientId: 'weir-secured', log })
}

type Env = Record<string, string>
const tls = (): Env => ({ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: broker.authority.ca })
const login = async (mechanism: string, password = PASSWORD): Promise<Env> => ({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: USER,
  KAFKA_SASL_PASSWORD_FILE: await broker.secret(password),
})
const oauth = async (secret = CLIENT_SECRET): Promise<Env> => ({
  KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
  KAFKA_OAUTH_TOKEN_URL: broker.tokens.url,
  KAFKA_OAUTH_CLIENT_ID: USER,
  KAFKA_OAUTH_CLIENT_SECRET_FILE: await broker.secret(secret),
  KAFKA_OAUTH_SCOPE: 'kafka',
  KAFKA_OAUTH_CA_FILE: broker.authority.ca,
})
const ownCertificate = async (): Promise<Env> => {
  const { cert, key } = await broker.authority.issue(USER, ['DNS:client'])
  return { KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key }
}

const openSession = (access: KafkaAccess): Promise<Session> => {
  const lines: string[] = []
  return openSessionOn(connect(access, lines), outside, lines)
}

const ways: [string, () => Promise<KafkaAccess>][] = [
  ['TLS', async () => broker.access('TLS', tls())],
  ['mutual TLS', async () => broker.access('MUTUAL', { ...tls(), ...(await ownCertificate()) })],
  ...['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
    (mechanism): [string, () => Promise<KafkaAccess>] => [
      `TLS and ${mechanism}`,
      async () => broker.access('TLSLOGIN', { ...tls(), ...(await login(mechanism)) }),
    ],
  ),
  ['SCRAM-SHA-512 without TLS', async () => broker.access('LOGIN', await login('SCRAM-SHA-512'))],
  ['TLS and OAUTHBEARER', async () => broker.access('TLSLOGIN', { ...tls(), ...(await oauth()) })],
]

test.each(ways)(
  'by %s events are stored, transactions committed, and topics followed',
  async (_, way) => {
    // Given
    const open = await openSession(await way())

    // When
    await open.produce('produced')
    await open.transact('transacted')
    await pollUntil(() => open.seen.length === 2, { deadlineMs: 60_000, what: 'following' })

    // Then
    expect(open.seen).toEqual(['produced', 'transacted'])
    await open.close()
  },
)

/** Follows a topic until the reported reason matches `wanted`. */
async function reasonOf(access: KafkaAccess, wanted: RegExp): Promise<void> {
  const kafka = connect(access)
  const follower = follow(kafka, uniqueName('nothing'), () => undefined)
  void follower.start().catch(() => undefined)
  const isTold = () => wanted.test(kafkaTrouble(kafka).join())
  await pollUntil(isTold, { deadlineMs: 60_000, what: `the reason ${wanted}` }).finally(
    async () => {
      expect(kafkaTrouble(kafka).join()).toMatch(wanted)
      await follower.close()
    },
  )
}

describe('what keeps us out is told', () => {
  test.each<[string, RegExp, () => Promise<KafkaAccess>]>([
    [
      'an authority that we do not know',
      /Kafka: 127.0.0.1:\d+: its certificate is not signed by a trusted CA; name its CA's file in KAFKA_TLS_CA_FILE/,
      async () => {
        const { ca } = await makeAuthority(broker.folder, 'stranger')
        return broker.access('TLS', { ...tls(), KAFKA_TLS_CA_FILE: ca })
      },
    ],
    [
      'a certificate for another host',
      /its certificate is for other names; use one of them in KAFKA_BROKERS/,
      async () => broker.access('ELSEWHERE', tls()),
    ],
    [
      'a certificate of ours that is missing',
      /it needs a client certificate, or refuses the one it got; see KAFKA_TLS_CERT_FILE/,
      async () => broker.access('MUTUAL', tls()),
    ],
    [
      'TLS where there is none',
      /the TLS handshake fails|closes connections immediately; does it use TLS\?/,
      async () => broker.access('PLAIN', tls()),
    ],
    [
      'no TLS where there must be',
      /closes connections immediately; does it need TLS \(KAFKA_TLS\)/,
      async () => broker.access('TLS'),
    ],
    [
      'no login where there must be one',
      /closes connections immediately; does it need a login \(KAFKA_SASL_MECHANISM\)\?/,
      async () => broker.access('TLSLOGIN', tls()),
    ],
    [
      'a mechanism that is not offered',
      /the brokers offer no login by PLAIN; see KAFKA_SASL_MECHANISM/,
      async () => broker.access('LOGIN', await login('PLAIN')),
    ],
    ...['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
      (mechanism): [string, RegExp, () => Promise<KafkaAccess>] => [
        `a wrong password by ${mechanism}`,
        new RegExp(
          `it refuses the login by ${mechanism}; see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD_FILE`,
        ),
        async () =>
          broker.access('TLSLOGIN', { ...tls(), ...(await login(mechanism, 'wrong-secret')) }),
      ],
    ),
    [
      'a token endpoint that refuses our client',
      /no login: the token endpoint refuses our client \(401\); see KAFKA_OAUTH_CLIENT_ID/,
      async () => broker.access('TLSLOGIN', { ...tls(), ...(await oauth('wrong-secret')) }),
    ],
    [
      'a token endpoint that we do not trust',
      /no login: the token endpoint: its certificate is not signed by a trusted CA; name its CA's file in KAFKA_OAUTH_CA_FILE/,
      async () => {
        const { ca } = await makeAuthority(broker.folder, 'stranger')
        return broker.access('TLSLOGIN', { ...tls(), ...(await oauth()), KAFKA_OAUTH_CA_FILE: ca })
      },
    ],
    [
      'a host that is not there',
      /nothing listens there; see KAFKA_BROKERS/,
      async () => broker.access('TLS', { KAFKA_BROKERS: '127.0.0.1:1' }),
    ],
  ])('%s', async (_, wanted, way) => {
    await reasonOf(await way(), wanted)
  })

  test('a token that the broker does not take', async () => {
    const { issuer } = broker.tokens
    broker.tokens.issuer = 'https://elsewhere.test'
    const access = broker.access('TLSLOGIN', { ...tls(), ...(await oauth()) })
    await reasonOf(access, /no login: (the broker refuses the token|.*authentication)/i)
    broker.tokens.issuer = issuer
  })
})

test('a password that is put right in its file lets us in without a restart', async () => {
  // Given
  const env = await login('SCRAM-SHA-256', 'wrong-secret')
  const topic = uniqueName('secured')
  await outside.makeTopic(topic, 1)
  const kafka = connect(broker.access('TLSLOGIN', { ...tls(), ...env }))
  const follower = follow(kafka, topic, () => undefined)
  const started = follower.start()
  const isRefused = () => kafkaTrouble(kafka).length > 0
  await pollUntil(isRefused, { deadlineMs: 60_000, what: 'a refusal' })

  // When
  await writeFile(env['KAFKA_SASL_PASSWORD_FILE'] ?? '', PASSWORD)

  // Then
  await started
  expect(follower.isFresh()).toBe(true)
  await follower.close()
})

test('a session is renewed before it ends, and nothing breaks off meanwhile', async () => {
  // Given
  const isOver = () => performance.now() - session.sinceMs > SESSION_MS + 3_000
  await pollUntil(isOver, { deadlineMs: SESSION_MS + 5_000, what: 'the end of a session' })

  // When
  await steady.stop()

  // Then
  expect(steady.failures).toEqual([])
  expect(steady.sent.length).toBeGreaterThan(10)
  const isSeen = () => session.seen.length >= steady.sent.length
  await pollUntil(isSeen, { deadlineMs: 60_000, what: 'following' })
  expect(session.seen).toEqual(steady.sent)
  // A broker that has just started may still be loading groups, or learning which groups it coordinates.
  const isEarly = (line: string): boolean =>
    line.includes('The coordinator is loading') || line.includes('not the correct coordinator')
  const isEnd = (line: string): boolean => line.includes('a consumer ended') && !isEarly(line)
  expect(session.lines.filter(isEnd)).toEqual([])
})

test('no log line holds a password or a token', () => {
  const all = logged.join('')
  expect(all).not.toContain(PASSWORD)
  expect(all).not.toContain(CLIENT_SECRET)
  expect(all).not.toContain('wrong-secret')
  expect(all).not.toMatch(/eyJ/)
  expect(all).toContain('Kafka is unreachable; trying again')
})

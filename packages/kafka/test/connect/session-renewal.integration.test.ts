// A broker limits login sessions. With every login mechanism, no request of a steady flow fails, even without retries,
// and even if fetching a token fails once.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { delay } from '@weir/kit'

import { askBrokers } from '../../src/connect/broker-calls.ts'
import { createKafka } from '../../src/connect/client.ts'
import { internalsOf } from '../../src/connect/internals.ts'
import type { KafkaAccess } from '../../src/connect/access/kafka-access.ts'
import { KafkaError } from '../../src/errors.ts'
import { log } from '../support.ts'
import { addScramUser } from '../support-scram-user.ts'
import {
  CLIENT_SECRET,
  PASSWORD,
  SESSION_MS,
  USER,
  startSecuredBroker,
} from '../support-secured-broker.ts'
import type { SecuredBroker } from '../support-secured-broker.ts'

const FLOW_MS = SESSION_MS * 2.2
const AT_ONCE = 4

let broker: SecuredBroker
beforeAll(async () => {
  broker = await startSecuredBroker()
}, 120_000)
afterAll(() => broker?.stop())

async function byPassword(mechanism: string, username = USER): Promise<KafkaAccess> {
  return broker.access('TLSLOGIN', {
    ...tls(),
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD_FILE: await broker.secret(PASSWORD),
  })
}

async function byToken(): Promise<KafkaAccess> {
  return broker.access('TLSLOGIN', {
    ...tls(),
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_OAUTH_TOKEN_URL: broker.tokens.url,
    KAFKA_OAUTH_CLIENT_ID: USER,
    KAFKA_OAUTH_CLIENT_SECRET_FILE: await broker.secret(CLIENT_SECRET),
    KAFKA_OAUTH_SCOPE: 'kafka',
    KAFKA_OAUTH_CA_FILE: broker.authority.ca,
  })
}

const tls = () => ({ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: broker.authority.ca })

/** The token request of the first renewal fails. */
async function byTokenThatFailsOnce(): Promise<KafkaAccess> {
  const { login, ...access } = await byToken()
  if (login?.mechanism !== 'OAUTHBEARER') throw new TypeError('no login by token')
  let asked = 0
  const token = () => {
    asked += 1
    return asked === 2 ? Promise.reject(new KafkaError('kafka.no_token', 'gone')) : login.token()
  }
  return { ...access, login: { ...login, token } }
}

/** Sends several concurrent sequences of requests without retries. */
async function flow(access: KafkaAccess): Promise<{ answers: number; failures: unknown[] }> {
  const { cluster } = internalsOf(createKafka({ ...access, clientId: 'weir-session', log }))
  const leave = cluster.join()
  const brokers = askBrokers(cluster, 'control', () => Infinity)
  const end = performance.now() + FLOW_MS
  const failures: unknown[] = []
  let answers = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      await brokers.describe([]).then(
        () => (answers += 1),
        (error: unknown) => failures.push(error),
      )
      await delay(10)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  leave()
  return { answers, failures }
}

test('a steady flow of requests loses none while sessions end and are renewed', async () => {
  // Given
  const named = { name: 'CN=weir,OU=a,O=b', password: PASSWORD }
  await addScramUser(Number(broker.address('PLAIN').split(':')[1]), named)
  const ways = [
    await byPassword('PLAIN'),
    await byPassword('SCRAM-SHA-256', named.name),
    await byPassword('SCRAM-SHA-512'),
    await byToken(),
    await byTokenThatFailsOnce(),
  ]

  // When
  const flows = await Promise.all(ways.map(flow))

  // Then
  expect(flows.map(({ failures }) => failures)).toEqual(ways.map(() => []))
  expect(Math.min(...flows.map(({ answers }) => answers))).toBeGreaterThan(AT_ONCE)
}, 120_000)

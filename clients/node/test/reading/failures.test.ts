import { expect, test } from '@jest/globals'
import {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
} from 'kafkajs'
import { ReadError } from '../../src/errors.ts'
import { groupHint, topicHint } from '../../src/reading/hints.ts'
import { finalErrorOf, unreachable } from '../../src/reading/failures.ts'

const protocolError = (type: string, retriable: boolean) =>
  new KafkaJSProtocolError(Object.assign(new Error('Kafka says so'), { type, retriable }))
const claims = { sub: 'c1', billingId: 'acme', stream: 'clicks-1' }
const token = `eyJh.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const read = { topic: 'acme.clicks-1', groupId: 'x', brokers: ['a:1', 'b:2'], token }
const afterRetries = (cause: Error) =>
  new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 0, retryTime: 0 })

test.each([
  [
    'a topic that may not be read',
    protocolError('TOPIC_AUTHORIZATION_FAILED', false),
    'not_readable',
  ],
  [
    'no such topic',
    afterRetries(protocolError('UNKNOWN_TOPIC_OR_PARTITION', true)),
    'not_readable',
  ],
  ['a refused group', protocolError('GROUP_AUTHORIZATION_FAILED', false), 'refused'],
  ['a refused login', new KafkaJSNonRetriableError('authentication failed'), 'refused'],
  ['our own error', afterRetries(new ReadError('unreadable', 'broken')), 'unreadable'],
])('%s is final', (_, error, code) => {
  expect(finalErrorOf(error, read)).toMatchObject({ name: 'ReadError', code })
})

test.each([
  ['a lost connection', new KafkaJSConnectionError('Closed connection')],
  ['a missing leader', afterRetries(protocolError('LEADER_NOT_AVAILABLE', true))],
  ['an error that kafkajs does not know', new Error('no response in time')],
])('%s may pass', (_, error) => {
  expect(finalErrorOf(error, read)).toBeUndefined()
})

test('the name of the refusal, and the first cause of unreachability, are said', () => {
  expect(finalErrorOf(protocolError('GROUP_AUTHORIZATION_FAILED', false), read)?.message).toBe(
    'the credentials may not use groups of this name; groupId must begin with c1 (GROUP_AUTHORIZATION_FAILED)',
  )
  const refused = Object.assign(new KafkaJSConnectionError('Connection error: '), {
    code: 'ECONNREFUSED',
  })
  expect(unreachable(afterRetries(refused), read).message).toBe(
    'Kafka is unreachable at a:1, b:2: ECONNREFUSED',
  )
})

test.each([
  ['acme.clicks-1', 'clicks-1', '; groupId must begin with c1'],
  ['team-a.acme.clicks-1', 'c1', '; groupId must begin with team-a.c1'],
  ['team-a.acme.clicks-1', 'team-a.c1-report', ''],
  ['acme.other', 'c2', ''],
])('for the topic %s and the group %s the sentence ends with %p', (topic, groupId, hint) => {
  expect(groupHint({ token, topic, groupId })).toBe(hint)
})

test.each([
  ['acme.clicks-1', {}, ''],
  ['team-a.acme.clicks-1', {}, ''],
  ['clicks-1', {}, '; they are for acme.clicks-1, which may have a prefix'],
  [
    'acme.clicks-1',
    { kind: 'input' },
    '; those of an input stream may read only if their scope is listen alone',
  ],
])('the refusal of the topic %s with %j ends with %p', (topic, more, hint) => {
  const payload = Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')
  expect(topicHint({ token: `eyJh.${payload}.c2ln`, topic, groupId: 'x' })).toBe(hint)
  expect(topicHint({ token: undefined, topic, groupId: 'x' })).toBe('')
})

test('of a listener that is silent, it is asked what may be wrong', () => {
  expect(unreachable(new Error('no response in time'), read).message).toBe(
    'Kafka is unreachable at a:1, b:2: no response in time; are tls and token what this listener needs?',
  )
})

test('a listener without logins is said to be that', () => {
  const message = "ILLEGAL_SASL_STATE Kafka says so; is this Kafka's listener for analysts?"
  expect(finalErrorOf(protocolError('ILLEGAL_SASL_STATE', false), read)).toMatchObject({ message })
})

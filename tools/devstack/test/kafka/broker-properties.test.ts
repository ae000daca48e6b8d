// The broker's settings, in the file that Kafka reads.

import { expect, test } from '@jest/globals'

import { brokerProperties } from '../../src/kafka/broker-properties.ts'

const lines = brokerProperties({ dataFolder: '/d/a b', port: 9092, controllerPort: 9093 }).split(
  '\n',
)

test('what Weir asks of Kafka is set', () => {
  expect(lines).toEqual(
    expect.arrayContaining([
      'auto.create.topics.enable=false',
      'group.initial.rebalance.delay.ms=0',
      'offsets.retention.minutes=129600',
      'offsets.topic.replication.factor=1',
      'transaction.state.log.replication.factor=1',
      'transaction.state.log.min.isr=1',
    ]),
  )
})

test('it listens on loopback alone, on the ports given, with data in the folder given', () => {
  expect(lines).toContain('listeners=PLAIN://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093')
  expect(lines).toContain('controller.quorum.voters=1@127.0.0.1:9093')
  expect(lines).toContain('log.dirs=/d/a b')
})

test('who comes in plain may everything, and nobody else may anything that is not allowed', () => {
  expect(lines).toContain(
    'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  )
  expect(lines).toContain('super.users=User:ANONYMOUS')
  expect(lines.join()).not.toContain('allow.everyone')
  expect(lines.join()).not.toContain('ANALYSTS')
})

test("analysts have a listener of their own, which takes Weir's tokens alone", () => {
  const analysts = {
    port: 9094,
    jwksUrl: 'http://127.0.0.1:8081/.well-known/jwks.json',
    issuer: 'http://127.0.0.1:8081',
  }
  const ports = { port: 9092, controllerPort: 9093 }
  const settings = brokerProperties({ dataFolder: '/d', ...ports, analysts }).split('\n')
  expect(settings).toEqual(
    expect.arrayContaining([
      'listeners=PLAIN://127.0.0.1:9092,ANALYSTS://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093',
      'listener.security.protocol.map=PLAIN:PLAINTEXT,ANALYSTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
      'listener.name.analysts.sasl.enabled.mechanisms=OAUTHBEARER',
      'listener.name.analysts.sasl.oauthbearer.expected.issuer=http://127.0.0.1:8081',
      'listener.name.analysts.sasl.oauthbearer.expected.audience=weir',
      'listener.name.analysts.oauthbearer.connections.max.reauth.ms=3600000',
    ]),
  )
})

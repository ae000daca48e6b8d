// The broker's settings, as the file that Kafka reads.

import { expect, test } from '@jest/globals'

import { brokerProperties } from '../src/broker-properties.ts'

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

// The broker's settings: one node that is broker and controller, on loopback. Those that Weir relies on
// stand in docs/architecture.md, «What we ask of Kafka»; the rest makes one node start and restart fast.

import { LOOPBACK } from './ports.ts'

export type BrokerSettings = {
  dataFolder: string
  port: number
  controllerPort: number
  /** Added to these, or in their place. */
  more?: Readonly<Record<string, string | number>> | undefined
}

export function brokerProperties(broker: BrokerSettings): string {
  const { dataFolder, port, controllerPort, more } = broker
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${LOOPBACK}:${controllerPort}`,
    listeners: `PLAIN://${LOOPBACK}:${port},CONTROLLER://${LOOPBACK}:${controllerPort}`,
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAIN',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataFolder,

    'auto.create.topics.enable': false,
    'group.initial.rebalance.delay.ms': 0,
    'offsets.retention.minutes': 129_600,

    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    // After a SIGKILL the controller takes the broker back only when its old session is over.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    ...more,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${escapeValue(String(value))}\n`)
    .join('')
}

/** Java's properties format reads a backslash as the start of an escape. */
function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\')
}

export const BROKER_LOG_PROPERTIES = `appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %m (%c)%n
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = out
logger.lifecycle.name = kafka.server.KafkaRaftServer
logger.lifecycle.level = INFO
`

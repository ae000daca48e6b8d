// The broker's settings: one node that is both broker and controller, on loopback. docs/architecture.md, «What we ask
// of Kafka», lists the settings that Weir relies on. The other settings let a single node start and restart fast.
// Connections without a login belong to Weir itself, and have all rights. Analysts use a separate listener with Weir's
// tokens, and have the rights that auth has granted them (docs/analysts.md).

import { LOOPBACK } from '../ports.ts'

export type BrokerSettings = {
  dataFolder: string
  port: number
  controllerPort: number
  /** A listener for clients with Weir's tokens; none by default. */
  analysts?: AnalystSettings | undefined
  /** Additional settings, which override the usual ones. */
  more?: Readonly<Record<string, string | number>> | undefined
}

export type AnalystSettings = {
  port: number
  /** The address of the keys that verify tokens. Kafka exits if this address doesn't respond. */
  jwksUrl: string
  /** The issuer in tokens. */
  issuer: string
}

export function brokerProperties(broker: BrokerSettings): string {
  const { dataFolder, port, controllerPort, analysts, more } = broker
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${LOOPBACK}:${controllerPort}`,
    listeners: `PLAIN://${LOOPBACK}:${port},CONTROLLER://${LOOPBACK}:${controllerPort}`,
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT',
    // A token's `sub` is always a UUID, so only a connection without SASL is ANONYMOUS.
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
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
    // After a SIGKILL the controller accepts the broker again only after the end of its old session.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    // By default, an idle controller would write a record twice per second.
    'metadata.max.idle.interval.ms': 5_000,
    ...(analysts ? analystListener(broker, analysts) : {}),
    ...more,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${escapeValue(String(value))}\n`)
    .join('')
}

const OAUTHBEARER = 'org.apache.kafka.common.security.oauthbearer'

function analystListener(
  { port, controllerPort }: BrokerSettings,
  analysts: AnalystSettings,
): Record<string, string | number> {
  const own = (setting: string) => `listener.name.analysts.${setting}`
  return {
    listeners: [
      `PLAIN://${LOOPBACK}:${port}`,
      `ANALYSTS://${LOOPBACK}:${analysts.port}`,
      `CONTROLLER://${LOOPBACK}:${controllerPort}`,
    ].join(),
    'listener.security.protocol.map':
      'PLAIN:PLAINTEXT,ANALYSTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
    [own('sasl.enabled.mechanisms')]: 'OAUTHBEARER',
    [own('oauthbearer.sasl.jaas.config')]: `${OAUTHBEARER}.OAuthBearerLoginModule required;`,
    [own('oauthbearer.sasl.server.callback.handler.class')]:
      `${OAUTHBEARER}.OAuthBearerValidatorCallbackHandler`,
    [own('sasl.oauthbearer.jwks.endpoint.url')]: analysts.jwksUrl,
    // The broker starts before auth has keys. By default it would fetch unknown keys only once per minute, and refuse
    // clients until then.
    [own('sasl.oauthbearer.jwks.endpoint.refresh.ms')]: 1_000,
    [own('sasl.oauthbearer.expected.issuer')]: analysts.issuer,
    [own('sasl.oauthbearer.expected.audience')]: 'weir',
    // By default Kafka accepts a token for 30 s after its expiry. Here all processes share one clock.
    [own('sasl.oauthbearer.clock.skew.seconds')]: 0,
    // A connection ends when its token expires, unless the client sends a new token.
    [own('oauthbearer.connections.max.reauth.ms')]: 3_600_000,
  }
}

/** Escapes backslashes, because each starts an escape in Java's properties format. */
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

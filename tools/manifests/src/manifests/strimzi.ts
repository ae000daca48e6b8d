// Generates Kafka's settings from a Kafka resource as Strimzi does, for one node that is both broker and controller. So
// tests can start a broker with an overlay's settings. Follows KafkaBrokerConfigurationBuilder of Strimzi 1.2.0's
// cluster operator, which is in no package registry. Omits unused features (Cruise Control, quotas, tiered storage,
// racks).

import { at, objectAt, objectsOf, manifestTextAt } from '../json.ts'
import type { Json } from '../json.ts'
import { nameOf } from './render.ts'

/** The data that depends on the node, and isn't in the resource. */
export type StrimziNode = {
  id: number
  /** The pod's name. The secret with this name contains its certificate. */
  name: string
  /** The node's listen and advertised address. */
  address: string
  /** Returns the port on which the node listens instead of Strimzi's port. */
  portOf(port: number): number
  logFolder: string
  /** A folder for each secret of the namespace, with a file for each of its keys. */
  secretsFolder: string
}

const CONTROLLER = { name: 'controlplane', port: 9090 }
const REPLICATION = { name: 'replication', port: 9091 }

type Listener = {
  name: string
  port: number
  protocol: string
  settings: Readonly<Record<string, string>>
}

export function strimziProperties(kafka: Json, node: StrimziNode): Record<string, string> {
  const secret = (name: string, key: string): string =>
    `\${strimzisecrets:${node.secretsFolder}/${name}:${key}}`
  const listeners = [
    ...[CONTROLLER, REPLICATION].map((each) => ({
      ...each,
      protocol: 'SSL',
      settings: { ...ownCertificate(node, secret), ...trusting(kafka, 'cluster-ca.crt', secret) },
    })),
    ...objectsOf(at(kafka, 'spec', 'kafka', 'listeners')).map((each) =>
      listenerOf(kafka, each, { node, secret }),
    ),
  ]
  return {
    'node.id': String(node.id),
    'process.roles': 'broker,controller',
    'controller.listener.names': idOf(CONTROLLER),
    'controller.quorum.voters': `${node.id}@${node.address}:${node.portOf(CONTROLLER.port)}`,
    'log.dirs': node.logFolder,
    ...Object.assign({}, ...listeners.map(settingsOf)),
    ...commonOf(listeners, node),
    ...authorizationOf(kafka),
    // Strimzi's own provider asks Kubernetes. This one reads the same values from a folder.
    'config.providers': 'strimzisecrets',
    'config.providers.strimzisecrets.class':
      'org.apache.kafka.common.config.provider.DirectoryConfigProvider',
    'config.providers.strimzisecrets.param.allowed.paths': node.secretsFolder,
    ...allowedConfig(objectAt(kafka, 'spec', 'kafka', 'config')),
  }
}

/** Returns the JVM's system properties in the resource, as options. */
export const strimziJvmOptions = (kafka: Json): string[] =>
  objectsOf(at(kafka, 'spec', 'kafka', 'jvmOptions', 'javaSystemProperties')).map(
    (property) => `-D${manifestTextAt(property, 'name')}=${manifestTextAt(property, 'value')}`,
  )

type SecretReference = (name: string, key: string) => string

const idOf = ({ name, port }: { name: string; port: number }): string =>
  `${name}-${port}`.toUpperCase()

/** Returns the settings for the broker's own certificate, which Strimzi's other brokers trust. */
function ownCertificate({ name }: StrimziNode, secret: SecretReference): Record<string, string> {
  return {
    'ssl.keystore.certificate.chain': secret(name, `${name}.crt`),
    'ssl.keystore.key': secret(name, `${name}.key`),
    'ssl.keystore.type': 'PEM',
  }
}

function trusting(kafka: Json, key: string, secret: SecretReference): Record<string, string> {
  return {
    'ssl.client.auth': 'required',
    'ssl.truststore.certificates': secret(`${nameOf(kafka)}-trustbundle`, key),
    'ssl.truststore.type': 'PEM',
  }
}

function listenerOf(
  kafka: Json,
  listener: Json,
  { node, secret }: { node: StrimziNode; secret: SecretReference },
): Listener {
  const usesTls = listener['tls'] === true
  const type = manifestTextAt(listener, 'authentication', 'type')
  const isSasl = at(listener, 'authentication', 'sasl') === true
  const custom = entriesOf(objectAt(listener, 'authentication', 'listenerConfig'))
  return {
    name: manifestTextAt(listener, 'name'),
    port: Number(manifestTextAt(listener, 'port')),
    protocol: `${isSasl ? 'SASL_' : ''}${usesTls ? 'SSL' : 'PLAINTEXT'}`,
    settings: {
      ...(type === 'tls' ? trusting(kafka, 'clients-ca.crt', secret) : {}),
      ...Object.fromEntries(custom.filter(([key]) => !key.startsWith('ssl.keystore.'))),
      ...(usesTls ? ownCertificate(node, secret) : {}),
    },
  }
}

const settingsOf = (listener: Listener): Record<string, string> =>
  Object.fromEntries(
    Object.entries(listener.settings).map(([key, value]) => [
      `listener.name.${idOf(listener).toLowerCase()}.${key}`,
      value,
    ]),
  )

function commonOf(listeners: readonly Listener[], node: StrimziNode): Record<string, string> {
  const addresses = listeners.map(
    (each) => `${idOf(each)}://${node.address}:${node.portOf(each.port)}`,
  )
  const protocols = listeners.map((each) => `${idOf(each)}:${each.protocol}`)
  return {
    'listener.security.protocol.map': protocols.join(),
    listeners: addresses.join(),
    'advertised.listeners': addresses.join(),
    'inter.broker.listener.name': idOf(REPLICATION),
    'sasl.enabled.mechanisms': '',
    'ssl.endpoint.identification.algorithm': 'HTTPS',
  }
}

function authorizationOf(kafka: Json): Record<string, string> {
  const authorization = objectAt(kafka, 'spec', 'kafka', 'authorization')
  if (authorization['type'] !== 'simple') return {}
  const name = nameOf(kafka)
  const components = ['topic-operator', 'user-operator'].map((each) => `${name}-entity-${each}`)
  const own = [`${name}-kafka`, ...components, `${name}-kafka-exporter`, `${name}-cruise-control`]
  const named: unknown[] = Array.isArray(authorization['superUsers'])
    ? authorization['superUsers']
    : []
  return {
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': [
      ...[...own, 'cluster-operator'].map((each) => `User:CN=${each},O=io.strimzi`),
      ...named.map((each) => `User:${String(each)}`),
    ].join(';'),
  }
}

/** KafkaClusterSpec's FORBIDDEN_PREFIXES with their exceptions, for settings that Kafka 4 still has. */
const FORBIDDEN =
  /^(listeners|advertised\.|broker\.|listener\.|host\.name|port|inter\.broker\.listener\.name|sasl\.|ssl\.|security\.|password\.|log\.dir|authorizer\.|super\.user|node\.id|process\.roles|controller\.|metadata\.log\.dir|cordoned\.log\.dirs)/
const STILL_ALLOWED =
  /^(sasl\.server\.max\.receive\.size|ssl\.(cipher\.suites|protocol|enabled\.protocols|secure\.random\.implementation)|broker\.(session\.timeout|heartbeat\.interval)\.ms|controller\.(socket\.timeout|quorum\.(election\.backoff\.max|election\.timeout|fetch\.timeout))\.ms)$/

/** Throws for settings that Strimzi would drop silently. */
function allowedConfig(config: Json): Record<string, string> {
  const entries = entriesOf(config)
  const ignored = entries.map(([key]) => key).filter(isIgnored)
  if (ignored.length > 0) throw new Error(`Strimzi ignores these settings: ${ignored.join(', ')}`)
  return Object.fromEntries([['min.insync.replicas', '1'], ...entries])
}

const isIgnored = (key: string): boolean => FORBIDDEN.test(key) && !STILL_ALLOWED.test(key)

const entriesOf = (object: Json): [string, string][] =>
  Object.entries(object).map(([key, value]) => [key, String(value)])

/** Returns the volumes that the resource adds to Kafka's container, each with its path and its secret's keys. */
export function strimziMounts(
  kafka: Json,
): { path: string; secret: string; files: [key: string, path: string][] }[] {
  const template = objectAt(kafka, 'spec', 'kafka', 'template')
  const volumes = objectsOf(at(template, 'pod', 'volumes'))
  return objectsOf(at(template, 'kafkaContainer', 'volumeMounts')).map((mount) => {
    const volume = volumes.find((each) => each['name'] === mount['name'])
    return {
      path: manifestTextAt(mount, 'mountPath'),
      secret: manifestTextAt(volume, 'secret', 'secretName'),
      files: objectsOf(at(volume, 'secret', 'items')).map((item) => [
        manifestTextAt(item, 'key'),
        manifestTextAt(item, 'path'),
      ]),
    }
  })
}

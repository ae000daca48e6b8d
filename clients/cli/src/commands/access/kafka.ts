// `weir kafka NAME`: prints the settings that a Kafka client needs to read a stream. It needs no service. If auth is
// reachable, a token shows whether the credentials are valid, whether readers decrypt, and whether credentials of the
// environment are of this stream.
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { accountInWords, consumerGroupOf, requireTopic } from '../../accounts/account.ts'
import type { CliAccount } from '../../accounts/account.ts'
import { readerAdvice, requireCredentials } from '../../api/credentials.ts'
import { claimsOf, fetchToken, idTokenOf, requireStream } from '../../api/id-token.ts'
import { urlOf } from '../../api/request.ts'
import { CliError, failure } from '../../errors.ts'
import { brokerList, withExamples } from '../../input/options.ts'
import type { StreamCredentials } from '../../accounts/profile.ts'
import { registrySettings, registryUrlOf } from '../../api/registry.ts'
import { findStream } from '../../api/streams.ts'
import { textAt, textsAt, valueAt } from '../../json.ts'
import type { OpenSession, Session } from '../../session.ts'

const clients = ['librdkafka', 'java', 'connect'] as const
type Client = (typeof clients)[number]

const kinds = 'librdkafka (for kcat, Python, Go, .NET), java, or connect (for a worker)'

function clientOf(text: string): Client {
  const client = clients.find((one) => one === text)
  if (client === undefined) throw new InvalidArgumentError(`It must be ${kinds}.`)
  return client
}

type KafkaOptions = { readonly client: Client; readonly brokers?: string; readonly tls?: boolean }

export function addKafkaCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('kafka')
      .description(
        'print settings for your own Kafka client and its Avro deserializer, to read an output',
      )
      .argument('<name>')
      .addOption(
        new Option('--client <kind>', kinds)
          .choices(clients)
          .argParser(clientOf)
          .default('librdkafka'),
      )
      .option('--brokers <addresses>', "Kafka's listener for analysts, host:port, …", brokerList)
      .option('--tls', 'the listener uses TLS')
      .action((name: string, options: KafkaOptions, command: Command) =>
        print(open(command), name, options),
      ),
    [
      'weir kafka clicks-1 > clicks-1.properties',
      'the file contains a secret: only you can read it',
    ],
    [
      'kcat -F clicks-1.properties -C -t acme.clicks-1 -e',
      "with kcat that is built with OIDC (Debian's is not: docs/analysts.md)",
    ],
    ['weir kafka clicks-1 --client java > clicks-1.properties', 'for kafka-console-consumer.sh'],
  )
}

async function print(session: Session, name: string, options: KafkaOptions): Promise<void> {
  const credentials = await requireCredentials(session, name, 'listen')
  const account = session.account()
  const isFromEnv = credentials === account.credentials
  const looked = isFromEnv ? await lookAt(session, name, credentials) : undefined
  if (account.apiKey !== undefined) await requireReader(session, name, credentials)
  const { settings, registry } = settingsFor(account, credentials, options)
  const topic = account.billingId && { topic: requireTopic(account, name) }
  session.terminal.keepPrivate()
  session.terminal.print(
    session.isJson
      ? JSON.stringify({ ...topic, settings, registry }, null, 2)
      : lines(settings, { ...topic, ...registry }),
  )
  if (account.billingId === undefined)
    session.tell('The settings have no topic: set WEIR_BILLING_ID for the topic.')
  if (looked ?? (await lookAt(session, name, credentials))) session.tell(forReaders(account))
}

/** Returns whether readers decrypt, or false if auth returns no token. Warns if auth refuses the credentials. */
async function lookAt(
  { terminal, account: current }: Session,
  name: string,
  credentials: StreamCredentials,
): Promise<boolean> {
  const account = current()
  const token = await fetchToken(account, name, credentials).then(idTokenOf, (error: unknown) => {
    if (error instanceof CliError && error.status === 401)
      terminal.note(
        `warning: ${account.authUrl} refuses these credentials for ${accountInWords(account)}. Is it the right account, and are they still valid?`,
      )
  })
  if (token === undefined) return false
  if (credentials === account.credentials) requireStream(name, token)
  return claimsOf(token).isForReaders
}

const forReaders = ({ authUrl }: CliAccount): string =>
  `Its personal fields are encrypted. How to decrypt them: ${urlOf(authUrl, ['docs', 'keys']).href}#keys-for-readers`

/** Credentials of an input stream may read its topic in Kafka only if their scope is `listen` alone. */
async function requireReader(
  session: Session,
  name: string,
  { clientId }: StreamCredentials,
): Promise<void> {
  const { path, record } = await findStream(session, name).catch(() => ({ path: [], record: {} }))
  const own = [valueAt(record, 'credentials')]
    .flat()
    .find((one) => textAt(one, 'clientId') === clientId)
  if (path.length !== 2 || textsAt(own, 'scope').join() === 'listen') return
  throw failure(
    `${name} is an input stream, and these credentials may not read it`,
    ...readerAdvice(name, 'kafka'),
  )
}

type Settings = Readonly<Record<string, string>>
type Told = {
  readonly settings: Settings
  /** Settings of the registry that this client would refuse. Printed as comments. */
  readonly registry?: Settings
}

function settingsFor(
  account: CliAccount,
  credentials: StreamCredentials,
  options: KafkaOptions,
): Told {
  const login = {
    'security.protocol': options.tls ? 'SASL_SSL' : 'SASL_PLAINTEXT',
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.oauthbearer.token.endpoint.url': urlOf(account.authUrl, ['oauth2', 'token']).href,
    ...loginOf[options.client](credentials),
  }
  const brokers = { 'bootstrap.servers': options.brokers ?? account.analystBrokers }
  // Readers must not see records of aborted transactions.
  const committed = { 'isolation.level': 'read_committed' }
  const registry = registrySettings({ url: registryUrlOf(account), credentials })
  if (options.client === 'connect') {
    const consumers = prefixed('consumer.', { ...login, ...committed })
    const converter = prefixed('value.converter.', registry)
    return { settings: { ...brokers, ...login, ...consumers, ...converter } }
  }
  const settings = {
    ...brokers,
    ...login,
    'group.id': consumerGroupOf(account, credentials),
    // Otherwise a new group would begin with new events. The default of Kafka Connect is `earliest`.
    'auto.offset.reset': 'earliest',
    ...committed,
  }
  return options.client === 'java'
    ? { settings: { ...settings, ...registry } }
    : { settings, registry }
}

const OAUTHBEARER = 'org.apache.kafka.common.security.oauthbearer'

/** Clients before Kafka 4.1 only know the JAAS option. Later clients prefer the other options. */
const javaLogin = ({ clientId, clientSecret }: StreamCredentials): Settings => ({
  'sasl.login.callback.handler.class': `${OAUTHBEARER}.OAuthBearerLoginCallbackHandler`,
  'sasl.oauthbearer.client.credentials.client.id': clientId,
  'sasl.oauthbearer.client.credentials.client.secret': clientSecret,
  'sasl.jaas.config': `${OAUTHBEARER}.OAuthBearerLoginModule required clientId="${clientId}" clientSecret="${clientSecret}";`,
})

const loginOf: Readonly<Record<Client, (credentials: StreamCredentials) => Settings>> = {
  librdkafka: ({ clientId, clientSecret }) => ({
    'sasl.oauthbearer.method': 'oidc',
    'sasl.oauthbearer.client.id': clientId,
    'sasl.oauthbearer.client.secret': clientSecret,
  }),
  java: javaLogin,
  connect: javaLogin,
}

/** A Kafka Connect worker needs a prefix before the settings of its sinks' consumers and of its converters. */
const prefixed = (prefix: string, settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [prefix + name, value]))

const lines = (settings: Settings, aside: Settings): string =>
  [...Object.entries(settings), ...Object.entries(prefixed('# ', aside))]
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

// Checks whether Kafka's settings provide what Weir's guarantees depend on (docs/operations.md, What Kafka must
// promise). Sets missing topic settings. Logs each setting that auth can't set, or that somebody has set to another
// value. With KAFKA_REQUIRE_DURABLE, auth isn't ready while a setting may lose acknowledged events.
import type { Configs, ConfigEntries, TopicSettings } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { pinTopics } from './topic-pins.ts'
import type { SetOtherwise, TopicPins } from './topic-pins.ts'

export type KafkaPromises = {
  /** @throws KafkaError `kafka.unavailable` */
  check(): Promise<void>
  notReady(): string[]
}

type Finding = {
  readonly setting: string
  readonly value: string
  readonly where: string
  readonly wanted: string
  /** The consequence of the wrong value. */
  readonly without: string
  readonly mayLose: boolean
}

export type PromisesDeps = {
  readonly configs: Pick<Configs, 'topics' | 'setTopic' | 'brokers'>
  readonly log: Log
  /** Returns Weir's topics, with the settings that they should have. */
  readonly topics: () => ReadonlyMap<string, TopicPins>
  readonly topicReplication: number | undefined
  /** The prefix of topic names in Kafka. Operators know the topics by their full names. */
  readonly kafkaPrefix: string
  readonly isRequired: boolean
}

type Check = Omit<Finding, 'value' | 'where'> & {
  readonly holds: (value: string) => boolean
  /** The topic that Kafka creates with this setting. If the topic exists, its replication is checked instead. */
  readonly of?: string
}

const atLeast = (least: number) => (value: string) => Number(value) >= least
const is = (wanted: string) => (value: string) => value === wanted
const offsetsTopic = '__consumer_offsets'
const transactionsTopic = '__transaction_state'
const replicasMin = 3
const inSyncMin = 2

const losesPositions = {
  wanted: '3',
  without: 'derived streams may lose their positions',
  mayLose: true,
}
const losesWriters = {
  wanted: '3',
  without: 'Kafka may forget who writes derived streams',
  mayLose: true,
}
const losesOnDisk = {
  wanted: '3',
  without: 'acknowledged events are lost with the disk of one broker',
  mayLose: true,
}
const inSync = {
  setting: 'min.insync.replicas',
  wanted: '2',
  without: 'an event is acknowledged when only one copy exists',
  mayLose: true,
}
const noUnclean = {
  setting: 'unclean.leader.election.enable',
  wanted: 'false',
  without: 'a broker that lags can become leader, and the records that it lacks are lost',
  mayLose: true,
}

const brokerChecks: readonly Check[] = [
  {
    setting: 'offsets.topic.replication.factor',
    ...losesPositions,
    holds: atLeast(3),
    of: offsetsTopic,
  },
  {
    setting: 'transaction.state.log.replication.factor',
    ...losesWriters,
    holds: atLeast(3),
    of: transactionsTopic,
  },
  {
    setting: 'transaction.state.log.min.isr',
    wanted: '2',
    without: 'a transaction is committed when only one copy exists',
    mayLose: true,
    holds: atLeast(inSyncMin),
  },
  { ...noUnclean, holds: is('false') },
  {
    setting: 'auto.create.topics.enable',
    wanted: 'false',
    without: 'a deleted topic is created again',
    mayLose: false,
    holds: is('false'),
  },
  {
    setting: 'offsets.retention.minutes',
    wanted: '129600',
    without: 'a stream that is not derived for a week may lose its position',
    mayLose: false,
    holds: atLeast(129_600),
  },
]

export function createKafkaPromises(deps: PromisesDeps): KafkaPromises {
  const { log, isRequired } = deps
  let findings: readonly Finding[] = []
  let told = new Set<string>()

  return {
    async check() {
      findings = await look(deps)
      const sentences = new Map(findings.map((finding) => [sentenceOf(finding), finding]))
      for (const [sentence, { setting, value, wanted }] of sentences)
        if (!told.has(sentence)) log.warn({ setting, value, wanted }, sentence)
      told = new Set(sentences.keys())
    },
    notReady: () => (isRequired ? findings.filter(({ mayLose }) => mayLose).map(sentenceOf) : []),
  }
}

const sentenceOf = ({ setting, value, where, wanted, without }: Finding): string =>
  `Kafka: ${setting} is ${value} ${where}; set it to ${wanted}: ${without}`

async function look(deps: PromisesDeps): Promise<Finding[]> {
  const { configs, topicReplication } = deps
  try {
    const { topics: ours, otherwise } = await pinned(deps)
    const internal = await configs.topics([offsetsTopic, transactionsTopic])
    const brokers = await configs.brokers()
    return [
      ...replicationOf(ours, topicReplication),
      ...ofTopics(ours, { ...inSync, holds: atLeast(inSyncMin) }),
      ...ofTopics(ours, { ...noUnclean, holds: is('false') }),
      ...brokerChecks.flatMap((check) => ofBrokers(brokers, internal, check)),
      ...setOtherwise(otherwise),
    ]
  } catch (error) {
    if (!hasCode(error, 'kafka.refused')) throw error
    return [notAllowed(error.message)]
  }
}

/** Sets missing settings. Returns the topics by their names in Kafka. */
async function pinned({ configs, topics, kafkaPrefix }: PromisesDeps) {
  const { topics: ours, otherwise } = await pinTopics(configs, topics())
  return {
    topics: new Map([...ours].map(([topic, settings]) => [kafkaPrefix + topic, settings])),
    otherwise: otherwise.map((one) => ({ ...one, topic: kafkaPrefix + one.topic })),
  }
}

function replicationOf(
  topics: ReadonlyMap<string, TopicSettings>,
  topicReplication: number | undefined,
): Finding[] {
  const few = [...topics].filter(([, { replication }]) => replication < replicasMin)
  const least = Math.min(...few.map(([, { replication }]) => replication))
  const setting =
    topicReplication === undefined ? 'default.replication.factor' : 'TOPIC_REPLICATION'
  const finding = { setting: `replication (${setting})`, ...losesOnDisk, value: String(least) }
  return few.length === 0 ? [] : [{ ...finding, where: on(few.map(([topic]) => topic)) }]
}

/** Returns one finding for each value that violates the check, with its topics. */
function ofTopics(topics: ReadonlyMap<string, TopicSettings>, check: Check): Finding[] {
  const found = new Map<string, string[]>()
  for (const [topic, { config }] of topics) {
    const value = config[check.setting]
    if (value !== undefined && !check.holds(value))
      found.set(value, [...(found.get(value) ?? []), topic])
  }
  return [...found].map(([value, names]) => ({ ...check, value, where: on(names) }))
}

function ofBrokers(
  brokers: ReadonlyMap<string, ConfigEntries>,
  internal: ReadonlyMap<string, TopicSettings>,
  check: Check,
): Finding[] {
  const topic = check.of === undefined ? undefined : internal.get(check.of)
  if (check.of !== undefined && topic !== undefined) {
    const value = String(topic.replication)
    const finding = { ...check, setting: 'replication', value, where: `of ${check.of}` }
    return check.holds(value) ? [] : [finding]
  }
  const found = new Map<string, string[]>()
  for (const [id, config] of brokers) {
    const value = config[check.setting]
    if (value !== undefined && !check.holds(value))
      found.set(value, [...(found.get(value) ?? []), id])
  }
  return [...found].map(([value, ids]) => ({
    ...check,
    value,
    where: `on broker ${ids.join(', ')}`,
  }))
}

/** Leaves out longer retentions, and settings that have a check of their own. */
function setOtherwise(otherwise: readonly SetOtherwise[]): Finding[] {
  const own: readonly string[] = [inSync.setting, noUnclean.setting]
  const findings = new Map<string, { one: SetOtherwise; topics: string[] }>()
  for (const one of otherwise) {
    const { topic, setting, value, wanted } = one
    const isLonger = setting === 'retention.ms' && Number(value) > Number(wanted)
    if (own.includes(setting) || isLonger) continue
    const same = `${setting} ${value} ${wanted}`
    const known = findings.get(same)
    if (known) known.topics.push(topic)
    else findings.set(same, { one, topics: [topic] })
  }
  return [...findings.values()].map(({ one, topics }) => ({
    setting: one.setting,
    value: one.value,
    wanted: one.wanted,
    where: on(topics),
    without: 'Weir creates its topics with this value, and someone changed it',
    mayLose: false,
  }))
}

const notAllowed = (reason: string): Finding => ({
  setting: 'access',
  value: 'refused',
  where: `(${reason})`,
  wanted: 'DescribeConfigs and AlterConfigs on topics, DescribeConfigs on the cluster, for auth',
  without: 'it is unknown whether Kafka keeps what it acknowledges',
  mayLose: true,
})

const namesMax = 3

function on(topics: readonly string[]): string {
  const names = topics.toSorted().slice(0, namesMax).join(', ')
  return topics.length > namesMax ? `on ${topics.length} topics (${names}, …)` : `on ${names}`
}

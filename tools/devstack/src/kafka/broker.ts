// One Kafka broker on this machine. Its data survive every kind of process end. The JVM's output goes to a log file.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { BROKER_LOG_PROPERTIES, brokerProperties } from './broker-properties.ts'
import type { AnalystSettings } from './broker-properties.ts'
import { brokerServes } from './broker-ready.ts'
import { createClassArchive } from './class-archive.ts'
import { formatDataFolder } from './data-folder.ts'
import { answers } from '../http-answers.ts'
import { createPart } from '../process/part.ts'
import type { Part, PartContext } from '../process/part.ts'
import { brokerAddress } from '../ports.ts'

export type BrokerOptions = {
  java: string
  classPath: string
  /** The path of an existing or future archive of the broker's classes. */
  classArchive: string
  /** JVM options in the form of KAFKA_JVM_PERFORMANCE_OPTS of Kafka's own scripts. */
  jvmOptions: readonly string[]
  port: number
  controllerPort: number
  /** A listener for clients with Weir's tokens; none by default. */
  analysts?: AnalystSettings | undefined
  /** The cluster's id; a new one by default. */
  clusterId?: string | undefined
  /** Additional settings, which override the usual ones. */
  more?: Readonly<Record<string, string | number>> | undefined
}

const ALLOWED_URLS = 'org.apache.kafka.sasl.oauthbearer.allowed.urls'

/** Writes the broker's settings, and formats its data folder if it is new. */
export async function createBroker(options: BrokerOptions, context: PartContext): Promise<Part> {
  const folder = join(context.folder, 'kafka')
  const dataFolder = join(folder, 'data')
  const settings = join(folder, 'server.properties')
  const logSettings = join(folder, 'log4j2.properties')
  await mkdir(dataFolder, { recursive: true })
  await writeFile(settings, brokerProperties({ ...options, dataFolder }))
  await writeFile(logSettings, BROKER_LOG_PROPERTIES)
  const jvm = ['-cp', options.classPath, `-Dlog4j2.configurationFile=${logSettings}`]
  await formatDataFolder({
    dataFolder,
    features: `${options.classArchive}.features`,
    nodeId: Number(options.more?.['node.id'] ?? 1),
    clusterId: options.clusterId,
    tool: [options.java, '-XX:TieredStopAtLevel=1', ...jvm, 'kafka.tools.StorageTool'],
    settings,
  })
  const archive = createClassArchive(options.classArchive, join(folder, 'classes.jsa'))
  const heap = ['-Xms256m', '-Xmx512m', ...options.jvmOptions]
  const { analysts } = options
  // Kafka fetches keys only from addresses in this option.
  const keys = analysts ? [`-D${ALLOWED_URLS}=${analysts.jwksUrl}`] : []
  return createPart(
    {
      name: 'Kafka',
      logName: 'kafka.log',
      address: brokerAddress(options.port),
      command: options.java,
      args: () => [...heap, archive.option(), ...keys, ...jvm, 'kafka.Kafka', settings],
      ...(analysts ? { mayStart: () => answers(analysts.jwksUrl) } : {}),
      isReady: () => brokerServes(options.port),
      onStopped: () => archive.keep(),
    },
    context,
  )
}

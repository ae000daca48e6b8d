// Kafka's own tools, in the layout of an unpacked Kafka: a folder with kafka-console-consumer.sh and
// connect-standalone.sh, which use KAFKA_OPTS. For tests of commands in the documentation.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { loadKafkaTools } from '../programs/distribution.ts'
import { findJdk } from '../programs/jdk.ts'
import { DATA_FOLDER } from '../repository.ts'

const TOOLS = {
  'kafka-console-consumer.sh': 'org.apache.kafka.tools.consumer.ConsoleConsumer',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  'connect-standalone.sh': 'org.apache.kafka.connect.cli.ConnectStandalone',
}

const LOG_PROPERTIES = `appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = WARN
rootLogger.appenderRef.err.ref = err
`

/** Creates the tools. Downloads their dependencies with Maven, once. */
export async function makeKafkaTools(folder: string): Promise<void> {
  const { env } = process
  const jdk = await findJdk({ env })
  const onProgress = (line: string) => void process.stdout.write(`${line}\n`)
  const dist = join(DATA_FOLDER, 'dist')
  await mkdir(dist, { recursive: true })
  await mkdir(folder, { recursive: true })
  const classPath = await loadKafkaTools({ folder: dist, jdk, env, onProgress })
  const logSettings = join(folder, 'log4j2.properties')
  await writeFile(logSettings, LOG_PROPERTIES)
  const java = `'${jdk.java}' -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.configurationFile='${logSettings}'`
  for (const [name, main] of Object.entries(TOOLS)) {
    const script = `#!/bin/sh\nexec ${java} $KAFKA_OPTS -cp '${classPath}' ${main} "$@"\n`
    await writeFile(join(folder, name), script, { mode: 0o755 })
  }
}

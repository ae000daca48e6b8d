// A real Kafka with the settings that Strimzi would generate.
import { execFile } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { findJdk, loadKafka, startWatched } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { strimziJvmOptions, strimziProperties } from '../../src/manifests/strimzi.ts'
import type { Scene } from './scene.ts'

export type Broker = {
  /** Resolves with `serving` when the broker accepts connections, or with the exit code if the broker ends first. */
  start(): Promise<number | 'serving'>
  log(): Promise<string>
  stop(): Promise<void>
}

const run = promisify(execFile)

const LOG = `appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %m (%c)%n%ex
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = out
`

export async function formatBroker(scene: Scene): Promise<Broker> {
  const { folder, kafka, node } = scene
  const [properties, logSettings] = [
    join(folder, 'server.config'),
    join(folder, 'log4j2.properties'),
  ]
  const logFile = join(folder, 'kafka.log')
  const settings = Object.entries(strimziProperties(kafka, node))
  await mkdir(node.logFolder, { recursive: true })
  await writeFile(properties, settings.map(([key, value]) => `${key}=${value}\n`).join(''))
  await writeFile(logSettings, LOG)
  const hosts = join(folder, 'hosts')
  await writeFile(hosts, '127.0.0.1 localhost weir-auth-jwks\n')

  const { env } = process
  const jdk = await findJdk({ env })
  const dist = join(import.meta.dirname, '../../../../.weir/dist')
  const source = { folder: dist, jdk, env, onProgress: () => {} }
  await mkdir(dist, { recursive: true })
  const { classPath } = await loadKafka(source)
  const jvm = [
    '-XX:TieredStopAtLevel=1',
    '-cp',
    classPath,
    `-Dlog4j2.configurationFile=${logSettings}`,
  ]
  const format = ['kafka.tools.StorageTool', 'format', '--cluster-id=AAAAAAAAAAAAAAAAAAAAAA', '-c']
  await run(jdk.java, [...jvm, ...format, properties])

  let running: Awaited<ReturnType<typeof startWatched>> | undefined
  return {
    async start() {
      const output = openSync(logFile, 'a')
      const options = [...strimziJvmOptions(kafka), `-Djdk.net.hosts.file=${hosts}`]
      const args = ['-Xmx512m', ...jvm, ...options, 'kafka.Kafka', properties]
      const started = await startWatched({
        command: jdk.java,
        args,
        env,
        cwd: folder,
        output,
        graceMs: 5000,
      })
      running = started
      const look = async () => started.hasExited() || (await takes(node.portOf(9094)))
      await pollUntil(look, { deadlineMs: 90_000, everyMs: 100, what: 'Kafka' })
      return started.hasExited() ? started.exited : 'serving'
    },
    log: () => readFile(logFile, 'utf8'),
    stop: async () => void (await running?.stop(6000)),
  }
}

function takes(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port })
    const finish = (answer: boolean) => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', () => finish(true)).once('error', () => finish(false))
  })
}

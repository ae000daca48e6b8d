// Starts Kafka with the settings of docker-compose.yml, without a container. The program in Kafka's image generates
// server.properties from the variables and formats the data folder. Then a broker starts with both.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REPOSITORY, findJdk, freePort } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { createTopicReader } from '@weir/testkit'

import { objectAt } from '../src/json.ts'
import { composeEnvironmentOf, readCompose } from '../src/manifests/compose.ts'

const run = promisify(execFile)
/** Options for a short-lived JVM: the fast compiler, and no background work. */
const shortLife = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
const KEYS_PATH = '/.well-known/jwks.json'

let folder: string
let java: string
let classPath: string
/** Replaces auth, which serves no keys while it waits for Kafka. */
let auth: Server
let asked = 0
let env: Record<string, string>
let inside: string
let broker: ChildProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-compose-kafka-'))
  java = (await findJdk({ env: process.env })).java
  const [note = ''] = globSync('.weir/dist/kafka-*.classpath', { cwd: REPOSITORY })
  classPath = await readFile(join(REPOSITORY, note), 'utf8')
  auth = createServer((request, response) => {
    asked += request.url === KEYS_PATH ? 1 : 0
    response.end('{"keys":[]}')
  })
  const authPort = await freePort()
  await new Promise<void>((resolve) => auth.listen(authPort, '127.0.0.1', resolve))
  env = await environmentHere(authPort)
  inside = /INSIDE:\/\/([^,]*)/.exec(env['KAFKA_ADVERTISED_LISTENERS'] ?? '')?.[1] ?? ''
})

afterAll(async () => {
  broker?.kill('SIGKILL')
  auth?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Returns the container's variables, with host names and ports replaced by this machine's address and free ports. */
async function environmentHere(authPort: number): Promise<Record<string, string>> {
  const given = composeEnvironmentOf(objectAt(await readCompose(), 'services', 'kafka'))
  const ports = new Map<string, number>()
  for (const [, port = ''] of JSON.stringify(given).matchAll(/:(\d{4,5})\b/g))
    if (!ports.has(port)) ports.set(port, await freePort())
  ports.set('8081', authPort)
  const here = (value: string) =>
    value
      .replaceAll(/:(\d{4,5})\b/g, (_, port: string) => `:${ports.get(port)}`)
      .replaceAll(/\b(kafka|auth)(?=:\d)/g, '127.0.0.1')
      .replaceAll(/:\/\/(?=:)/g, '://127.0.0.1')
      .replaceAll('/var/lib/kafka', folder)
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, here(value)]))
}

const pathOf = (name: string): string => join(folder, name)

const logSettings = `Configuration:
  Appenders:
    Console: { name: STDOUT, PatternLayout: { pattern: '%m%n' } }
  Loggers:
    Root: { level: WARN, AppenderRef: [{ ref: STDOUT }] }
`

test("Kafka's own image takes every variable for a setting that Kafka knows, and the broker that comes of it serves and asks auth for keys", async () => {
  for (const name of ['default', 'mounted', 'final']) await mkdir(pathOf(name))
  await writeFile(pathOf('default/server.properties'), '')
  for (const name of ['log4j2.yaml', 'tools-log4j2.yaml'])
    await writeFile(pathOf(`default/${name}`), logSettings)
  const places = ['default', 'mounted', 'final'].flatMap((name) => [
    `--${name}-configs-dir`,
    pathOf(name),
  ])
  const wrapper = [
    ...shortLife,
    '-cp',
    classPath,
    'kafka.docker.KafkaDockerWrapper',
    'setup',
    ...places,
  ]
  await run(java, wrapper, { env: { ...env, CLUSTER_ID: '5L6g3nShT-eMCtK--X86sw' } })

  const { KAFKA_OPTS: options = '', ...settings } = env
  const made = await readFile(pathOf('final/server.properties'), 'utf8')
  const lines = made.split('\n').filter((line) => line !== '')
  expect(lines).toHaveLength(Object.keys(settings).length)

  const args = ['-Xmx512m', ...shortLife, ...options.split(' '), '-cp', classPath, 'kafka.Kafka']
  const output: string[] = []
  broker = spawn(java, [...args, pathOf('final/server.properties')], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  broker.stdout?.on('data', (chunk) => output.push(String(chunk)))
  const reader = createTopicReader({ KAFKA_BROKERS: inside })
  try {
    const serves = () =>
      reader.admin.configs.brokers().then(
        () => true,
        () => false,
      )
    await pollUntil(serves, { deadlineMs: 150_000, everyMs: 500, what: 'the broker serving' })
  } finally {
    await reader.close()
  }
  expect(asked).toBeGreaterThan(0)
  expect(output.join('').match(/unknown config/gi)).toBeNull()
}, 240_000)

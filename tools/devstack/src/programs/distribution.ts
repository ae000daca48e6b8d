// Downloads Apache Kafka and Apicurio Registry with Maven, once. The jars stay in Maven's local repository, and the
// registry is unpacked beside the list of the jars. A later start runs no Maven.

import { createHash, randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { AppError } from '@weir/kit'

import { hasErrno } from '../errno.ts'
import type { Jdk } from './jdk.ts'

export type DistributionOptions = {
  /** The folder for records of downloads and for unpacked programs. All stacks of a checkout share it. */
  folder: string
  jdk: Jdk
  env: NodeJS.ProcessEnv
  onProgress(line: string): void
  signal?: AbortSignal | undefined
}

/** WEIR_KAFKA_VERSION overrides this version, to test several. */
const KAFKA_VERSION = '4.3.1'
const LOG4J_VERSION = '2.25.4'
const REGISTRY_VERSION = '3.3.3'
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

// Kafka's jar depends on log4j, but not on its SLF4J binding, which only Kafka's distribution contains. Without the
// binding the broker logs nothing.
const kafkaPom = (version: string): string =>
  pom(
    ['org.apache.kafka', 'kafka_2.13', version],
    ['org.apache.logging.log4j', 'log4j-slf4j-impl', LOG4J_VERSION],
  )

/** Kafka's tools for users: the console tools, Kafka Connect and its file connector. */
const TOOLS_POM = pom(
  ['org.apache.kafka', 'kafka-tools', KAFKA_VERSION],
  ['org.apache.kafka', 'connect-runtime', KAFKA_VERSION],
  ['org.apache.kafka', 'connect-file', KAFKA_VERSION],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', LOG4J_VERSION],
)

const run = promisify(execFile)

/** Returns the class path of the broker and its tools, and the path for an archive of their classes. */
export async function loadKafka(
  options: DistributionOptions,
): Promise<{ classPath: string; classArchive: string }> {
  const version = options.env['WEIR_KAFKA_VERSION'] ?? KAFKA_VERSION
  const wanted = kafkaPom(version)
  const name = nameOf(`kafka-${version}`, wanted, options)
  return {
    classPath: await loadClassPath(`${name}.classpath`, wanted, options),
    classArchive: `${name}-java${options.jdk.major}.jsa`,
  }
}

export function loadKafkaTools(options: DistributionOptions): Promise<string> {
  const name = nameOf(`kafka-tools-${KAFKA_VERSION}`, TOOLS_POM, options)
  return loadClassPath(`${name}.classpath`, TOOLS_POM, options)
}

function nameOf(what: string, content: string, { folder }: DistributionOptions): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
  return join(folder, `${what}-${hash}`)
}

async function loadClassPath(
  note: string,
  content: string,
  options: DistributionOptions,
): Promise<string> {
  const noted = await readFile(note, 'utf8').catch(() => '')
  if (noted !== '' && noted.split(delimiter).every((jar) => existsSync(jar))) return noted

  options.onProgress('Getting Apache Kafka with Maven, only this time …')
  return inDraftFolder(options.folder, async (draft) => {
    await writeFile(join(draft, 'pom.xml'), content)
    const file = join(draft, 'classpath')
    await runMaven(options, draft, [`${PLUGIN}:build-classpath`, `-Dmdep.outputFile=${file}`])
    const classPath = (await readFile(file, 'utf8')).trim()
    await writeFile(file, classPath)
    await rename(file, note)
    return classPath
  })
}

/** Returns the folder with the registry's `quarkus-run.jar`. */
export async function loadRegistry(options: DistributionOptions): Promise<string> {
  const folder = join(options.folder, `registry-${REGISTRY_VERSION}`)
  if (existsSync(folder)) return folder

  options.onProgress(`Getting Apicurio Registry ${REGISTRY_VERSION} with Maven, only this time …`)
  return inDraftFolder(options.folder, async (draft) => {
    await writeFile(join(draft, 'pom.xml'), pom())
    const unpacked = join(draft, 'registry')
    const artifact = `io.apicurio:apicurio-registry-app:${REGISTRY_VERSION}:tar.gz:all`
    await runMaven(options, draft, [
      `${PLUGIN}:unpack`,
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${unpacked}`,
    ])
    // A concurrent start may have been faster. A folder with that name is complete.
    await rename(unpacked, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
    return folder
  })
}

function pom(...dependencies: readonly (readonly [string, string, string])[]): string {
  const listed = dependencies.map(
    ([group, artifact, version]) => `
    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`,
  )
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weir</groupId>
  <artifactId>devstack</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>${listed.join('')}
  </dependencies>
</project>
`
}

async function inDraftFolder<T>(parent: string, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = join(parent, `draft-${randomUUID()}`)
  await mkdir(draft, { recursive: true })
  try {
    return await work(draft)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function runMaven(options: DistributionOptions, cwd: string, args: readonly string[]) {
  try {
    await run('mvn', ['-B', '-q', '-Dstyle.color=never', ...args], {
      cwd,
      env: { ...options.env, JAVA_HOME: options.jdk.home },
      maxBuffer: 16 * 1024 * 1024,
      ...(options.signal && { signal: options.signal }),
    })
  } catch (error) {
    throw hasErrno(error, 'ENOENT') ? noMaven() : mavenFailed(error)
  }
}

function noMaven(): AppError<'no_maven'> {
  return new AppError(
    'no_maven',
    'Kafka and the schema registry are downloaded with Apache Maven, and there is no mvn on the PATH. ' +
      'Install Maven (for instance apt install maven, or brew install maven), or set KAFKA_BROKERS and ' +
      'SCHEMA_REGISTRY_URL to use ones that run already.',
  )
}

function mavenFailed(error: unknown): AppError<'maven_failed'> {
  const said = [textOf(error, 'stdout'), textOf(error, 'stderr')].join('\n').trim().split('\n')
  const errors = said.filter((line) => line.startsWith('[ERROR]')).slice(0, 5)
  return new AppError(
    'maven_failed',
    [
      'Maven could not download what is needed. It said:',
      ...(errors[0] ? errors : said.slice(-5)),
    ].join('\n  '),
    { cause: error },
  )
}

function textOf(error: unknown, name: string): string {
  const found: unknown = Object.entries(error ?? {}).find(([key]) => key === name)?.[1]
  return typeof found === 'string' ? found : ''
}

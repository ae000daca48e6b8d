// Finds a sufficiently new Java. Installs and changes nothing.

import { execFile } from 'node:child_process'
import { access, constants, readdir, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { AppError } from '@weir/kit'

const JAVA_MAJOR_MIN = 21

export type Jdk = { home: string; java: string; major: number }

export type JdkPlaces = {
  env: NodeJS.ProcessEnv
  /** Folders with one JDK each; `*` matches any name. */
  folders?: readonly string[]
}

const run = promisify(execFile)

const COMMON_FOLDERS = [
  '/usr/lib/jvm/*',
  '/usr/java/*',
  '/opt/java/*',
  '/opt/jdk*',
  '/Library/Java/JavaVirtualMachines/*/Contents/Home',
  join(homedir(), 'Library/Java/JavaVirtualMachines/*/Contents/Home'),
  '/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  '/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  join(homedir(), '.sdkman/candidates/java/*'),
  join(homedir(), '.jdks/*'),
]

/** Returns the JDK of JAVA_HOME or PATH, otherwise the newest in the usual folders. Throws AppError `no_jdk`. */
export async function findJdk({ env, folders = COMMON_FOLDERS }: JdkPlaces): Promise<Jdk> {
  const asked = env['JAVA_HOME'] ? [env['JAVA_HOME']] : []
  for (const home of [...asked, ...(await homesOnPath(env['PATH'] ?? ''))]) {
    const jdk = await jdkAt(home)
    if (jdk !== undefined && jdk.major >= JAVA_MAJOR_MIN) return jdk
  }
  const homes = [...(await chosenByMacOs()), ...(await expandAll(folders))]
  const found = (await Promise.all(homes.map(jdkAt))).filter((jdk) => jdk !== undefined)
  const newest = found.toSorted((a, b) => b.major - a.major)[0]
  if (newest !== undefined && newest.major >= JAVA_MAJOR_MIN) return newest
  throw noJdk(newest)
}

async function homesOnPath(path: string): Promise<string[]> {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const javas = await Promise.all(
    folders.map((folder) => realpath(join(folder, 'java')).catch(() => undefined)),
  )
  return javas.filter((java) => java !== undefined).map((java) => dirname(dirname(java)))
}

async function jdkAt(home: string): Promise<Jdk | undefined> {
  const java = join(home, 'bin', 'java')
  try {
    await access(java, constants.X_OK)
    const major = (await majorFromRelease(home)) ?? (await majorFromJava(java))
    return major === undefined ? undefined : { home, java, major }
  } catch {
    return undefined
  }
}

async function majorFromRelease(home: string): Promise<number | undefined> {
  const release = await readFile(join(home, 'release'), 'utf8').catch(() => '')
  return majorOf(/^JAVA_VERSION="([^"]+)"/m.exec(release)?.[1])
}

async function majorFromJava(java: string): Promise<number | undefined> {
  const { stderr } = await run(java, ['-version'], { timeout: 10_000 })
  return majorOf(/version "([^"]+)"/.exec(stderr)?.[1])
}

/** `21.0.2` gives 21, and `1.8.0_402` gives 8. */
function majorOf(version: string | undefined): number | undefined {
  const [first, second] = (version ?? '').split(/[._+-]/).map(Number)
  const major = first === 1 ? second : first
  return Number.isSafeInteger(major) && major !== 0 ? major : undefined
}

async function chosenByMacOs(): Promise<string[]> {
  if (process.platform !== 'darwin') return []
  const args = ['-v', `${JAVA_MAJOR_MIN}+`]
  const { stdout } = await run('/usr/libexec/java_home', args).catch(() => ({ stdout: '' }))
  return stdout.trim() === '' ? [] : [stdout.trim()]
}

async function expandAll(patterns: readonly string[]): Promise<string[]> {
  return (await Promise.all(patterns.map(expand))).flat()
}

async function expand(pattern: string): Promise<string[]> {
  const parts = pattern.split('/')
  const at = parts.findIndex((part) => part.includes('*'))
  if (at === -1) return [pattern]
  const parent = parts.slice(0, at).join('/')
  const prefix = (parts[at] ?? '').replace('*', '')
  const names = await readdir(parent).catch(() => [])
  const rest = parts.slice(at + 1)
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => [parent, name, ...rest].join('/'))
}

function noJdk(newest: Jdk | undefined): AppError<'no_jdk'> {
  const seen = newest === undefined ? 'none was found' : `the newest found is Java ${newest.major}`
  return new AppError(
    'no_jdk',
    `Kafka and the schema registry need a JDK of version ${JAVA_MAJOR_MIN} or newer; ${seen}. ` +
      'Install one (for instance Eclipse Temurin 21, from adoptium.net) and set JAVA_HOME to it if it ' +
      'is in an unusual place, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL to use ones that run already.',
  )
}

// Consumers that share no code with this project: kcat, and a Python script that uses Confluent's client.
import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setting } from '@weir/testkit'

const repository = join(import.meta.dirname, '../../../..')
const python = join(repository, '.weir/venv/bin/python')
const run = promisify(execFile)
const howToInstall = 'tools/testkit/ci/prepare.sh installs it'

export type KcatRecord = {
  place: string
  key: string
  schemaId: string
  /** kcat prints the bytes of a header up to the first zero. */
  keyLinkShown: Buffer
  eventTimeMs: number
  source: string
  value: Buffer
}

export async function readWithKcat(topic: string): Promise<KcatRecord[]> {
  const format = '%p/%o %k %S %s%h\n'
  const args = ['-C', '-b', setting('KAFKA_BROKERS'), '-t', topic, '-o', 'beginning', '-e', '-q']
  const options = { encoding: 'buffer', timeout: 60_000, maxBuffer: 2 ** 28 } as const
  const { stdout } = await run('kcat', [...args, '-f', format], options).catch((error: unknown) => {
    if (isMissing(error))
      throw new Error(`kcat is missing: ${howToInstall} (Debian: apt install kcat)`)
    throw error
  })
  const records: KcatRecord[] = []
  for (let at = 0; at < stdout.length;) {
    const [record, next] = parseRecord(stdout, at)
    records.push(record)
    at = next
  }
  return records
}

// record = partition "/" offset SP key SP value-bytes SP value headers LF
function parseRecord(output: Buffer, from: number): [KcatRecord, number] {
  let at = from
  const upTo = (end: string): Buffer => {
    const found = output.subarray(at, output.indexOf(end, at))
    at += found.length + end.length
    return found
  }
  const [place, key, bytes] = [upTo(' '), upTo(' '), upTo(' ')]
  const value = output.subarray(at, (at += Number(bytes)))
  const schemaId = upTo(',svc-key-link=').toString()
  const keyLinkShown = upTo(',svc-time=')
  const eventTime = upTo(',svc-source=')
  const source = upTo('\n').toString()
  const record = {
    place: place.toString(),
    key: key.toString(),
    schemaId: schemaId.replace('svc-schema-id=', ''),
    keyLinkShown,
    eventTimeMs: Number(eventTime),
    source,
    value,
  }
  return [record, at]
}

export type PrintedEvent = { source: string; event: Record<string, unknown> }

export type SchemaLogin = {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Returns what `examples/analysts/read_stream.py` prints for a topic, through the listener for analysts. */
export async function readWithPython(topic: string, login: SchemaLogin): Promise<PrintedEvent[]> {
  await access(python).catch(() => {
    throw new Error(`Confluent's Python client is missing in .weir/venv: ${howToInstall}`)
  })
  const script = join(repository, 'examples/analysts/read_stream.py')
  const folder = await mkdtemp(join(tmpdir(), 'weir-foreign-'))
  const file = join(folder, 'settings')
  await writeFile(file, settingsOf(login))
  const options = { timeout: 60_000, maxBuffer: 2 ** 28 }
  const { stdout } = await run(python, [script, topic, file], options).finally(() =>
    rm(folder, { recursive: true }),
  )
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [source = ''] = line.split(' ', 1)
      return { source, event: JSON.parse(line.slice(source.length)) }
    })
}

const settingsOf = ({ url, clientId, clientSecret }: SchemaLogin): string =>
  [
    `bootstrap.servers=${setting('KAFKA_BROKERS')}`,
    `group.id=${clientId}`,
    'isolation.level=read_committed',
    `# schema.registry.url=${url}`,
    `# basic.auth.user.info=${clientId}:${clientSecret}`,
  ].join('\n')

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

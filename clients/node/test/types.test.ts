// The package's types compile in a project without Node's types and without lib "dom", with both compilers.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createProject } from './fixtures/project.ts'
import type { Project } from './fixtures/project.ts'

const require = createRequire(import.meta.url)
const compilers = {
  5.9: require.resolve('typescript-5.9/lib/tsc.js'),
  7: join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc'),
}
const nodeTypes = dirname(dirname(require.resolve('@types/node/package.json')))
const cases = Object.entries(compilers)

const program = `
import * as weir from '@weir/client'
import type { ConnectionSettings, Contract, CredentialsOptions, Gap, Listener, ListenerOptions } from '@weir/client'
import type { LoadContractOptions, OpenTopic, Producer, ProducerOptions, ReadErrorCode, RejectionCode } from '@weir/client'
import type { Retry, SendError, TopicOptions, TopicRecord, TopicSpan, UndeliveredCode } from '@weir/client'

type Click = { url: string }
const address = 'http://127.0.0.1:8081'
const ca = new Uint8Array()
const credentials: CredentialsOptions = { authUrl: address, billingId: 'a', clientId: 'b', clientSecret: 'c', ca }
const sending: ProducerOptions = { ...credentials, ingestUrl: address, contract: 'click' }
const contract: Contract<Click> = { id: 'click', schema: { definition: 'int' } }
const failed = (error: SendError): RejectionCode | UndeliveredCode => error.code
const onRetry = ({ trouble, cause, waitMs }: Retry): unknown => [trouble.length, cause, waitMs]
export const producer: Producer<Click> = weir.createProducer({ ...sending, contract, onRetry, onError: failed })
export const sent: Promise<void> = producer.send({ url: '' })
const listening: ListenerOptions = { ...credentials, outputUrl: address, onGap: (gap: Gap) => gap.reason }
export const listener: Listener = weir.createListener(listening)
const asked: LoadContractOptions = { authUrl: address, apiKey: 'd', id: 'click' }
export const loaded: Promise<Contract<Click>> = weir.loadContract<Click>(asked)
const connection: ConnectionSettings = { brokers: [address], tls: { ca, servername: 'kafka' } }
const reading: TopicOptions = { ...connection, topic: 'a.b', groupId: 'b', token: weir.createTokenSource(credentials) }
const span: TopicSpan = { fromMs: 0 }
export const opened: Promise<OpenTopic> = weir.openTopic(reading, span)
export const lengthOf = ({ value, headers }: TopicRecord): number => (value?.length ?? 0) + (headers['a']?.length ?? 0)
export const codeOf = (error: weir.ReadError): ReadErrorCode => error.code
export async function urls(clicks: Listener<Click>): Promise<void> {
  for await (const { url } of clicks) url.length
}
type Visit = { at: Date; bytes: Uint8Array; kind: 'a' | 'b'; person: { id: string | null }; tags: string[] }
export async function decrypted(decrypter: weir.Decrypter, visits: weir.EncryptedEvent<Visit>[], all: weir.EncryptedEvent<any>[]) {
  for (const { at, bytes, kind, person, tags } of await decrypter.decrypt(visits)) {
    const same: [Date, Uint8Array, 'a' | 'b'] = [at, bytes, kind]
    const id: string = person.id instanceof weir.Encrypted ? person.id.reason : (person.id ?? '')
    tags.map((tag: string | weir.Encrypted) => [String(tag), same, id])
    // @ts-expect-error It may be encrypted.
    tags.map((tag: string) => tag)
  }
  for (const visit of await decrypter.decrypt(all)) visit.person.id
  for (const visit of await decrypter.decrypt<Visit>(all)) visit.person.id
}
// @ts-expect-error A misspelt field.
export const wrong = producer.send({ ulr: '' })
`

let project: Project
beforeAll(async () => {
  project = await createProject()
  await project.write('program.ts', program)
})
afterAll(() => project?.remove())

async function complaintsOf(compiler: string, file: string, options: object): Promise<string> {
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: false, ...options }
  await project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }))
  return (await project.run(process.execPath, compiler, '-p', '.')).stdout
}

test.each(cases)('TypeScript %s needs lib "es2018" for them, and nothing else', async (_, tsc) => {
  const bare = { lib: ['es2018'], types: [] }
  for (const options of [
    { ...bare, module: 'nodenext' },
    { ...bare, module: 'nodenext', exactOptionalPropertyTypes: true },
    { ...bare, module: 'esnext', moduleResolution: 'bundler' },
    { module: 'nodenext' },
  ])
    expect(await complaintsOf(tsc, 'program.ts', options)).toBe('')
})

test.each(cases)(
  "TypeScript %s fits them to Node's types, if a program has them",
  async (_, tsc) => {
    const lines = [
      "import { openTopic } from '@weir/client'",
      "const options = { brokers: ['127.0.0.1:9094'], topic: 'a.b', groupId: 'a' }",
      'const topic = await openTopic(options, {}, AbortSignal.timeout(1_000))',
      "await topic.read(({ key }) => console.log(key?.toString('latin1')))",
      "import type { EachBatchPayload } from 'kafkajs'",
      "import type { Decrypter } from '@weir/client'",
      'export const opened = async (decrypter: Decrypter, { batch }: EachBatchPayload) =>',
      '  decrypter.decrypt(batch.messages.map(({ headers }) => ({ headers, event: { id: "" } })))',
    ]
    await project.write('with-node.ts', lines.join('\n'))
    const withNode = {
      lib: ['es2022'],
      types: ['node'],
      typeRoots: [nodeTypes],
      module: 'nodenext',
    }
    // Node's own types need more than this lib.
    const options = { ...withNode, skipLibCheck: true, target: 'es2022' }
    expect(await complaintsOf(tsc, 'with-node.ts', options)).toBe('')
    const inBrowser = { lib: ['es2022', 'dom'], types: [], module: 'nodenext', target: 'es2022' }
    await project.write('with-dom.ts', [...lines.slice(0, 3), 'await topic.close()'].join('\n'))
    expect(await complaintsOf(tsc, 'with-dom.ts', inBrowser)).toBe('')
  },
)

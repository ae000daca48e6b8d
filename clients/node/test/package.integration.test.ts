// Tests the package as users have it: built, packed, and unpacked with only its dependencies. The README's examples run
// there, in the oldest supported Node and in the repository's Node, and must print what the README shows.
import { execFile } from 'node:child_process'
import { access, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readDocument } from '@weir/docs-tools'
import type { Account } from '@weir/testkit'
import { createProject } from './fixtures/project.ts'
import type { Project } from './fixtures/project.ts'
import { startAnalystsWorld } from './reading/analysts.ts'
import type { AnalystsWorld } from './reading/analysts.ts'

const run = promisify(execFile)
const source = join(import.meta.dirname, '..')
const root = join(source, '../..')
const timeoutMs = 60_000
const oldNode = join(
  root,
  `.weir/node-20/node_modules/node-${process.platform}-${process.arch}/bin/node`,
)

type Example = { language: string; file: string; text: string; output: string | undefined }

let project: Project
let folder: string
let world: AnalystsWorld
let examples: readonly Example[]

beforeAll(async () => {
  project = await createProject()
  folder = project.folder
  world = await startAnalystsWorld()
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  await writeDemo()
  examples = examplesIn(await readDocument('clients/node/README.md'))
  for (const { file, text } of examples) await writeFile(join(folder, file), text)
}, 300_000)

afterAll(async () => {
  await world?.stop()
  await project?.remove()
})

/** Writes `.weir/demo.json` as `npm start` does. */
async function writeDemo(): Promise<void> {
  const { auth, ingest, output, account, brokers } = world
  await account.contract('clickstream')
  const streams = [await account.input('demo')]
  const derived = await account.output('demo', 'demo-1', { consentLevels: [1] })
  streams.push(derived)
  await world.untilReadable(world.optionsOf(derived, derived.topic))
  await mkdir(join(folder, '.weir'))
  const addresses = { authUrl: auth.url, ingestUrl: ingest.url, outputUrl: output.url }
  const lake = await account.output('demo', 'lake', { consentLevels: [1], decryptAt: 'reader' })
  await world.untilReadable(world.optionsOf(lake, lake.topic))
  const { clientId, clientSecret } = lake
  const credentials = [{ clientId, clientSecret }]
  await writeFile(join(folder, 'lake.json'), JSON.stringify({ credentials }))
  const demo = { ...addresses, analystBrokers: brokers, billingId: account.billingId, streams }
  await writeFile(join(folder, '.weir/demo.json'), JSON.stringify(demo))
  await writeFile(join(folder, 'clickstream.ts'), await typesOf(account))
}

async function typesOf({ billingId, apiKey }: Account): Promise<string> {
  const weir = join(root, 'clients/cli/bin/weir.js')
  const env = {
    WEIR_CONFIG: join(folder, 'profile.json'),
    WEIR_AUTH_URL: world.auth.url,
    WEIR_BILLING_ID: billingId,
    WEIR_API_KEY: apiKey,
  }
  const args = [weir, 'contract', 'types', 'clickstream']
  return (await run(process.execPath, args, { env, timeout: timeoutMs })).stdout
}

/** Returns the code blocks that start with the name of their file, each with its output. */
function examplesIn(markdown: string): Example[] {
  const found: Example[] = []
  for (const [, info = '', text = ''] of markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const last = found.at(-1)
    const file = /^\/\/ ([\w.-]+)/.exec(text)?.[1]
    if (['js', 'ts', 'jsonc'].includes(info) && file !== undefined)
      found.push({ language: info, file, text, output: undefined })
    else if (info === 'text' && last !== undefined) last.output = text
  }
  return found
}

async function printedBy(node: string, file: string): Promise<string> {
  const { code, stdout, stderr } = await project.run(node, file)
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${stderr}`)
  return stdout
}

async function expectExamples(node: string, languages: readonly string[]): Promise<void> {
  const shown = examples.filter(
    ({ language, output }) => languages.includes(language) && output !== undefined,
  )
  expect(shown.length).toBeGreaterThanOrEqual(5)
  for (const { file, output } of shown)
    expect({ file, printed: await printedBy(node, file) }).toEqual({ file, printed: output })
}

test(
  "the README's examples print what it shows",
  () => expectExamples(process.execPath, ['js', 'ts']),
  6 * timeoutMs,
)

test(
  "the README's examples print it under Node 20, too",
  async () => {
    // Installed by tools/testkit/ci/prepare.sh.
    await access(oldNode)
    expect(await printedBy(oldNode, '-v')).toMatch(/^v20\./)
    await expectExamples(oldNode, ['js'])
  },
  6 * timeoutMs,
)

test.each([
  ['Kafka refuses its group', '`${own.clientId}-', '`my-'],
  ['output refuses its keys', 'resolve(message)', "{ throw new ReadError('refused', '') }"],
])("the README's consumer ends with an error when %s", async (_, from, to) => {
  const [follow] = examples.filter(({ file }) => file === 'follow.mjs')
  if (!follow?.text.includes(from)) throw new Error('the README shows another follow.mjs')
  await writeFile(join(folder, 'refused.mjs'), follow.text.replace(from, to))
  const { code, stdout } = await project.run(process.execPath, 'refused.mjs')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

test('a program that has sent all it wanted ends by itself', async () => {
  const [send] = examples.filter(({ file }) => file === 'send.mjs')
  if (send === undefined) throw new Error('the README shows no send.mjs')
  const lines = send.text.split('\n').filter((line) => !line.includes('close()'))
  await writeFile(join(folder, 'leave.mjs'), lines.join('\n'))
  expect(await printedBy(process.execPath, 'leave.mjs')).toBe(send.output)
})

test('kafkajs is loaded only to read a topic', async () => {
  const lines = [
    "import { createRequire } from 'node:module'",
    "import '@weir/client'",
    'const { cache } = createRequire(import.meta.url)',
    "const isLoaded = () => Object.keys(cache).some((file) => file.includes('kafkajs'))",
    'const before = isLoaded()',
    "await import('kafkajs')",
    'console.log(before, isLoaded())',
  ]
  await writeFile(join(folder, 'loads.mjs'), lines.join('\n'))
  expect(await printedBy(process.execPath, 'loads.mjs')).toBe('false true\n')
})

test('standard error quotes no event that breaks a validation', async () => {
  const lines = [
    "import { createProducer } from '@weir/client'",
    "import { click, contract, options } from './demo.mjs'",
    "const producer = createProducer({ ...options('demo'), contract })",
    "producer.send(click('alice@example.com'))",
    'await producer.close()',
  ]
  await project.write('private.mjs', lines.join('\n'))
  const { code, stderr } = await project.run(process.execPath, 'private.mjs')
  const line =
    '@weir/client: send failed with validation_failed (HTTP status 400; only the error has the message, which may quote the event)\n'
  expect({ code, stderr }).toEqual({ code: 0, stderr: line })
})

test("a program in TypeScript is checked against the contract's types and the package's", async () => {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const typeRoots = join(source, 'node_modules/@types')
  const strictest = ['--exactOptionalPropertyTypes', '--typeRoots', typeRoots]
  const checked = await run(tsc, ['-p', folder, ...strictest], { timeout: timeoutMs }).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe('')
})

test("the README's program in TypeScript runs under Node 20, too", async () => {
  const readme = await readDocument('clients/node/README.md')
  const [, options = ''] = /^npx tsc (.*) && node out\/typed\.js/m.exec(readme) ?? []
  const typeRoots = ['--typeRoots', join(source, 'node_modules/@types')]
  const tsc = join(root, 'node_modules/.bin/tsc')
  await run(tsc, [...options.split(' '), ...typeRoots], { cwd: folder, timeout: timeoutMs })
  expect(await printedBy(oldNode, 'out/typed.js')).toBe('invalid_event\n')
})

test('it has what it needs in itself: no test, no source, nothing of this repository', async () => {
  const { stdout } = await run('grep', ['-rlE', "from '@weir/|packages/|\\.ts'", '.'], {
    cwd: join(folder, 'node_modules/@weir/client'),
  }).catch(({ stdout: none }: { stdout: string }) => ({ stdout: none }))
  expect(stdout.split('\n').filter((file) => file !== '' && file !== './README.md')).toEqual([])
})

// The examples in Python, as their users run them: with nothing installed but what
// docs/guide/producers.md says.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { exampleEvent } from '../../src/index.ts'
import { openProducers } from './producers-scene.ts'
import type { ProducersScene } from './producers-scene.ts'

jest.setTimeout(120_000)
const examples = join(REPOSITORY, 'examples')
const svcMeta = { consentLevels: [0, 1] }

describe('the scripts in Python', () => {
  let scene: ProducersScene
  let folder: string
  /** With no packages at all, not even pip. */
  let plainPython: string
  const withPackages = join(REPOSITORY, '.weir/producers/bin/python')
  beforeAll(async () => {
    scene = await openProducers()
    folder = await mkdtemp(join(tmpdir(), 'weir-producers-'))
    await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', folder])
    plainPython = join(folder, 'bin/python')
  })
  afterAll(async () => {
    await scene?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  type Outcome = { code: number | null; output: string; complaint: string }
  function run(
    script: string,
    env: NodeJS.ProcessEnv,
    input: string,
    pythonOfBatch = withPackages,
  ): Promise<Outcome> {
    const isBatch = script === 'send_batch.py'
    const argument = isBatch ? join(examples, 'contracts/clickstream.json') : 'clickstream'
    const python = isBatch ? pythonOfBatch : plainPython
    const child = spawn(python, [join(examples, 'producers', script), argument], { env })
    const outcome = { output: '', complaint: '' }
    child.stdout.on('data', (chunk) => (outcome.output += String(chunk)))
    child.stderr.on('data', (chunk) => (outcome.complaint += String(chunk)))
    child.stdin.on('error', () => {}) // the program may end without reading its input
    child.stdin.end(input)
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, ...outcome }))
    })
  }

  const eventLine = async (parts: object): Promise<string> =>
    `${JSON.stringify({ ...(await exampleEvent('clickstream')), svcMeta, ...parts })}\n`
  const sent = async (): Promise<string> =>
    (await eventLine({ eventType: 'a' })) + '\n' + (await eventLine({ eventType: 'b' }))

  test('send events that have nothing but consent levels in their envelope', async () => {
    const stream = await scene.account.input('scripts')
    const one = await run('send_event.py', scene.settingsOf(stream), await sent())
    expect(one).toEqual({ code: 0, output: '204\n204\n', complaint: '' })
    const env = { ...scene.settingsOf(stream), TOKEN: await scene.account.token(stream) }
    const many = await run('send_batch.py', env, await sent())
    expect(many).toEqual({ code: 0, output: '{"accepted":2,"rejected":[]}\n', complaint: '' })
    expect(await scene.storedIn(stream, 4)).toEqual(['a 0,1', 'a 0,1', 'b 0,1', 'b 0,1'])
  })

  test('say in one line why an event is refused', async () => {
    const stream = await scene.account.input('refused')
    const sentence = `regex clickstream/url 'x' doesnt match`
    const bad = (await sent()) + (await eventLine({ url: 'x' })) + (await sent())
    const one = await run('send_event.py', scene.settingsOf(stream), bad)
    expect(one).toMatchObject({ code: 1, output: '204\n204\n' })
    expect(one.complaint).toMatch(`400 ${sentence}`)
    const env = { ...scene.settingsOf(stream), TOKEN: await scene.account.token(stream) }
    const many = await run('send_batch.py', env, bad)
    expect(many).toMatchObject({ code: 1, complaint: '' })
    expect(many.output).toMatch(/^\{"accepted":4,"rejected":\[\{"index":2,"status":400/)
    expect(many.output).toMatch(sentence)
  })

  test('send_batch.py refuses a misspelt field, and says what to install', async () => {
    const env = { TOKEN: 'x', WEIR_INGEST_URL: scene.world.ingest.url }
    const misspelt = await run('send_batch.py', env, await eventLine({ referer: 'x' }))
    expect(misspelt).toMatchObject({ code: 1, output: '' })
    expect(misspelt.complaint).toMatch(/^line 1: .*: referer$/m)
    const { complaint } = await run('send_batch.py', env, '', plainPython)
    expect(complaint).toBe('fastavro is missing: pip install fastavro\n')
  })

  test('read_stream.py says what to install, how it is called, and why auth refuses a secret', async () => {
    const file = join(folder, 'settings')
    const login = ['token.endpoint.url', 'client.id', 'client.secret']
    const values = [`${scene.world.auth.url}/oauth2/token`, 'a', 'b']
    await writeFile(
      file,
      login.map((name, at) => `sasl.oauthbearer.${name}=${values[at]}\n`).join(''),
    )
    const complaintOf = (python: string, ...args: string[]): Promise<string> =>
      promisify(execFile)(python, [join(examples, 'analysts/read_stream.py'), ...args]).then(
        () => '',
        ({ stderr }: { stderr: string }) => stderr,
      )
    const full = join(REPOSITORY, '.weir/venv/bin/python')
    expect(await complaintOf(plainPython)).toMatch(/^No module .*: pip install 'confluent-kafka/)
    expect(await complaintOf(full)).toContain('python read_stream.py acme.clicks-1')
    expect(await complaintOf(full, 'a.b', file)).toMatch(/^401 .*"error":"invalid_client"/s)
  })

  test('say in one line why a token, a secret, a setting or an address is wrong', async () => {
    const env = scene.settingsOf(await scene.account.input('wrong'))
    const { WEIR_CLIENT_ID: _, ...without } = env
    const away = 'http://127.0.0.1:1'
    const cases: [string, NodeJS.ProcessEnv, RegExp][] = [
      ['send_event.py', { ...env, WEIR_CLIENT_SECRET: 'x' }, /^401 .*"code":"invalid_credentials"/],
      ['send_event.py', without, /^WEIR_CLIENT_ID is not set$/],
      ['send_event.py', { ...env, WEIR_AUTH_URL: away }, /^http:\S+\/auth cannot be reached: /],
      ['send_event.py', { ...env, WEIR_INGEST_URL: away }, /^http:\S+\/event cannot be reached: /],
      ['send_batch.py', { ...env, TOKEN: 'x' }, /^401 The token /],
      ['send_batch.py', { ...env, TOKEN: 'x\ny' }, /^TOKEN has a character that no token has$/],
      ['send_batch.py', env, /^TOKEN is not set$/],
      [
        'send_batch.py',
        { ...env, TOKEN: 'x', WEIR_INGEST_URL: away },
        /^http:\S+ cannot be reached/,
      ],
    ]
    for (const [script, settings, sentence] of cases) {
      const { code, output, complaint } = await run(script, settings, await sent())
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(complaint.trimEnd()).toMatch(sentence)
      expect(complaint.trimEnd()).not.toMatch('\n')
    }
  })
})

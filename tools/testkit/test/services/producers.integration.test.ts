// Runs the Python examples as users do, with only the packages that docs/guide/producers.md lists.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'
import { exampleEvent, setting } from '../../src/index.ts'
import { openProducers } from './producers-scene.ts'
import type { ProducersScene } from './producers-scene.ts'

jest.setTimeout(120_000)
const examples = join(REPOSITORY, 'examples')
const svcMeta = { consentLevels: [0, 1] }

describe('the scripts in Python', () => {
  let scene: ProducersScene
  let folder: string
  /** A Python without any packages, even pip. */
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
    contract = join(examples, 'contracts/clickstream.json'),
  ): Promise<Outcome> {
    const isBatch = script === 'send_batch.py'
    const argument = isBatch ? contract : 'clickstream'
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

  const full = join(REPOSITORY, '.weir/venv/bin/python')
  const complaintOf = (python: string, ...args: string[]): Promise<string> =>
    promisify(execFile)(python, [join(examples, 'analysts/read_stream.py'), ...args]).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )

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
    expect(one.complaint).toMatch(`line 4: 400 ${sentence}`)
    const several = await run('send_event.py', scene.settingsOf(stream), '{\n"url": "x"\n}\n')
    expect(several.complaint).toMatch(/^line 1: 400 .*; each event must be on one line\n$/)
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

  test('send_batch.py says in one line what is wrong with an event, or with the file of the contract', async () => {
    const fields = [
      {
        name: 'svcMeta',
        type: {
          type: 'record',
          name: 'Meta',
          fields: [{ name: 'levels', type: { type: 'array', items: 'int' }, default: [] }],
        },
      },
      { name: 'litres', type: 'int', default: 1 },
      { name: 'colour', type: { type: 'enum', name: 'Colour', symbols: ['RED'] } },
      { name: 'shade', type: ['null', 'string'], default: null },
    ]
    const definition = { type: 'record', name: 'Paint', fields }
    const paint = join(folder, 'paint.json')
    await writeFile(paint, JSON.stringify({ id: 'paint', schema: { definition } }))
    const plain = join(examples, 'contracts/clickstream.json')
    const needsMeta = /^line 1 needs an event with \{"svcMeta": \{"consentLevels": \[0, 1\]\}\}\n$/
    const cases: [contract: string, input: string, complaint: RegExp][] = [
      [plain, await eventLine({ svcMeta: undefined }), needsMeta],
      [plain, await eventLine({ svcMeta: 5 }), needsMeta],
      [plain, '[{"svcMeta":{}}]', needsMeta],
      [plain, '{\n', /^line 1 is not JSON; each event must be on one line: .*\n$/],
      [paint, '{"svcMeta":{},"colour":"GREEN"}', /^line 1: Paint\.colour is <GREEN> .*'RED'.*\n$/],
      [
        paint,
        '{"svcMeta":{},"colour":"RED","shade":{"string":"x"}}',
        /^line 1: .* on field shade; give a union's value without its branch, and with the fields of one\n$/,
      ],
      [
        paint,
        '{"svcMeta":{},"colour":"RED","litres":19.99}',
        /^line 1: Paint\.litres is <19\.99> .* expected int\n$/,
      ],
      [
        paint,
        '{"svcMeta":{},"colour":"RED","litres":true}',
        /^line 1: Paint\.litres is <True> .* expected int\n$/,
      ],
      [
        paint,
        '{"svcMeta":{},"colour":"RED","litres":Infinity}',
        /^line 1: Paint\.litres is <inf> .* expected int\n$/,
      ],
      [
        paint,
        '{"svcMeta":{"levels":[0.5]},"colour":"RED"}',
        /^line 1: Paint\.svcMeta\.Meta\.levels is <0\.5> .* expected int\n$/,
      ],
      [join(folder, 'nothing.json'), '', /nothing\.json: No such file or directory\n$/],
      [join(examples, 'producers/relay.mjs'), '', /relay\.mjs is not JSON: .*\n$/],
      [
        join(examples, 'events/clickstream.json'),
        '',
        /clickstream\.json is not a contract: it needs id and schema\.definition\n$/,
      ],
    ]
    const env = { TOKEN: 'x', WEIR_INGEST_URL: scene.world.ingest.url }
    for (const [file, input, complaint] of cases) {
      const outcome = await run('send_batch.py', env, input, withPackages, file)
      expect(outcome).toEqual({ code: 1, output: '', complaint: expect.stringMatching(complaint) })
      expect(outcome.complaint.trimEnd()).not.toMatch('\n')
    }
  })

  test('read_stream.py says what to install, how it is called, and why auth refuses a secret', async () => {
    const file = join(folder, 'settings')
    const login = ['token.endpoint.url', 'client.id', 'client.secret']
    const values = [`${scene.world.auth.url}/oauth2/token`, 'a', 'b']
    await writeFile(
      file,
      login.map((name, at) => `sasl.oauthbearer.${name}=${values[at]}\n`).join('') +
        '# schema.registry.url=a',
    )
    expect(await complaintOf(plainPython)).toMatch(/^No module .*: pip install 'confluent-kafka/)
    expect(await complaintOf(full)).toContain('python read_stream.py acme.clicks-1')
    expect(await complaintOf(full, 'a.b', file)).toMatch(/^401 .*"error":"invalid_client"/s)
  })

  test('read_stream.py names the topic that the settings are for, if it may not read another', async () => {
    const file = join(folder, 'topic')
    const lines = [
      `bootstrap.servers=${setting('KAFKA_BROKERS')}`,
      'group.id=a',
      '# topic=acme.clicks-1',
      `# schema.registry.url=${scene.world.auth.url}/registry`,
      '# basic.auth.user.info=a:b',
    ]
    await writeFile(file, lines.join('\n'))
    const unknown = 'Broker: Unknown topic or partition'
    expect(await complaintOf(full, 'acme.click-1', file)).toBe(
      `acme.click-1: ${unknown}. The settings in ${file} are for acme.clicks-1\n`,
    )
    expect(await complaintOf(full, 'acme.clicks-1', file)).toBe(`acme.clicks-1: ${unknown}\n`)
    await writeFile(file, lines.join('\n').replace(/servers=.*/, 'servers=127.0.0.1:1'))
    expect(await complaintOf(full, 'acme.clicks-1', file)).toMatch(
      /^Kafka at 127\.0\.0\.1:1 can't be reached; is it the listener for analysts\? \(.*Connection refused.*\)\n$/,
    )
    expect(await complaintOf(full, 'a.b', `${file}s`)).toBe(`${file}s: No such file or directory\n`)
    expect(await complaintOf(full, 'a.b', join(REPOSITORY, 'README.md'))).toMatch(
      /README\.md is not what weir kafka NAME writes for librdkafka\n$/,
    )
  })

  test('say in one line why a token, a secret, a setting or an address is wrong', async () => {
    const env = scene.settingsOf(await scene.account.input('wrong'))
    const { WEIR_CLIENT_ID: _, ...without } = env
    const away = 'http://127.0.0.1:1'
    const cases: [string, NodeJS.ProcessEnv, RegExp][] = [
      [
        'send_event.py',
        { ...env, WEIR_CLIENT_SECRET: 'x' },
        /^http:\S+\/auth says 401 .*"code":"invalid_credentials"/,
      ],
      [
        'send_event.py',
        { ...env, WEIR_AUTH_URL: 'localhost:1' },
        /^localhost:1 must begin with http:/,
      ],
      [
        'send_batch.py',
        { ...env, TOKEN: 'x', WEIR_INGEST_URL: 'localhost:1' },
        /^localhost:1 must begin with http:/,
      ],
      [
        'send_event.py',
        { ...env, WEIR_AUTH_URL: 'http://localhost:port' },
        /^http:\S+\/auth cannot be reached: nonnumeric port/,
      ],
      [
        'send_batch.py',
        { ...env, TOKEN: 'x', WEIR_INGEST_URL: 'http://localhost:port' },
        /^http:\S+ cannot be reached.*nonnumeric port/,
      ],
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

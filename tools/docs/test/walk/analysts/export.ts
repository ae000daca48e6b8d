// Runs `weir export` as an analyst does after `npm start`. Checks what DuckDB and pandas read from the files, and that
// a file is either complete or missing.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Everything } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { REPOSITORY } from '@weir/devstack'
import {
  account as accountAt,
  asObject,
  compiledBefore,
  connectProducer,
  request,
  textIn,
} from '@weir/testkit'
import type { Account, TestStream } from '@weir/testkit'
import { authWithout } from './auth-without.ts'
import {
  everyTypeContract,
  everyTypeEvent,
  typesInDuckDb,
  valuesOfTheFirst,
  valuesOfTheLast,
} from './every-type.ts'

const run = promisify(execFile)
const weir = join(REPOSITORY, 'clients/cli/bin/weir.js')
const python = join(REPOSITORY, '.weir/venv/bin/python')
const billingId = 'export'
const deadlineMs = 60_000

export type Ground = { readonly everything: Everything; readonly platformKey: string }

export function exportTests(ground: () => Ground): void {
  let folder: string
  let account: Account
  let output: TestStream

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-export-'))
    const { everything, platformKey } = ground()
    const { auth, ingest } = everything
    const made = await request(auth.url, platformKey, 'POST', '/v2/accounts', { billingId })
    account = accountAt(auth.url, billingId, textIn(made.body, 'apiKey'))
    const input = await account.input('in', { partitions: 2 })
    output = await account.output('in', 'out', { consentLevels: [0], from: 'earliest' })
    const token = await account.token(input)
    const producer = await connectProducer(ingest.url)
    for (const version of [1, 2] as const) {
      const contract = everyTypeContract(version, 'export')
      expect((await account.call('POST', '/v2/contracts', contract)).status).toBe(201)
      const schemaId = String(contract['id'])
      for (let count = 0; count < version * 2; count += 1)
        expect((await producer.send(everyTypeEvent(version), { token, schemaId })).status).toBe(204)
    }
    producer.close()
    await pollUntil(async () => (await lines('out')).length === 6, { deadlineMs, everyMs: 500 })
  }, 180_000)

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const env = (more: Record<string, string> = {}): NodeJS.ProcessEnv => {
    const { auth, stack } = ground().everything
    return {
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
      HOME: folder,
      ...compiledBefore(),
      WEIR_BILLING_ID: billingId,
      ...secretsOf(output),
      WEIR_AUTH_URL: auth.url,
      WEIR_ANALYST_BROKERS: stack.analystBrokers ?? '',
      ...more,
    }
  }
  const exported = (args: readonly string[], more?: Record<string, string>) =>
    run(weir, ['export', ...args], { cwd: folder, env: env(more) })
  const lines = async (name: string, ...args: string[]): Promise<Record<string, unknown>[]> => {
    const { stdout } = await exported([name, '-o', 'jsonl', '-', ...args])
    const texts = stdout.split('\n').filter((line) => line !== '')
    return texts.map((line) => asObject(JSON.parse(line)))
  }

  /** Writes a profile with a stream's credentials, and returns its settings. */
  async function savedIn(file: string, name: string, { clientId, clientSecret }: TestStream) {
    const nowhere = 'http://127.0.0.1:1'
    const urls = { authUrl: ground().everything.auth.url, ingestUrl: nowhere, outputUrl: nowhere }
    const accounts = { [billingId]: { ...urls, streams: { [name]: { clientId, clientSecret } } } }
    const profile = JSON.stringify({ current: billingId, accounts })
    await writeFile(join(folder, file), profile, { mode: 0o600 })
    return { ...unset, WEIR_CONFIG: join(folder, file) }
  }

  test('an API key alone is enough, also for an input stream, and leaves no credentials behind', async () => {
    const alone = { WEIR_API_KEY: account.apiKey, ...unset }
    const clientIds = async (): Promise<string[]> =>
      JSON.stringify((await account.call('GET', '/v2/streams/in')).body).match(/clientId/g) ?? []
    const before = await clientIds()
    for (const [name, more] of [
      ['in', 'in is an input stream: its personal fields are encrypted.\n'],
      ['out', ''],
    ] as const) {
      const { stdout, stderr } = await exported([name, '-o', 'jsonl', '-'], alone)
      expect([name, stdout.trimEnd().split('\n').length]).toEqual([name, 6])
      expect(stderr).toBe(`6 events of ${name} written to standard output.\n${more}`)
    }
    expect(await clientIds()).toEqual(before)
  })

  test('saved credentials that also send are not used for an input stream, if a key can create others', async () => {
    const saved = await savedIn('both.json', 'both', await account.input('both'))
    await expect(exported(['both', 'no.jsonl'], saved)).rejects.toThrow("can't read the topic")
    const { stderr } = await exported(['both', 'a.jsonl'], {
      ...saved,
      WEIR_API_KEY: account.apiKey,
    })
    expect(stderr).toContain('0 events of both written to a.jsonl.')
  })

  test('weir doctor says that a listener of Kafka is not the one for analysts', async () => {
    const { stack } = ground().everything
    const saved = await savedIn('config.json', 'out', output)
    const more = { ...saved, WEIR_ANALYST_BROKERS: stack.kafkaBrokers }
    await expect(run(weir, ['doctor'], { cwd: folder, env: env(more) })).rejects.toMatchObject({
      stdout: expect.stringContaining(`${stack.kafkaBrokers} is a listener without login`),
    })
  })

  test('DuckDB and pandas read an exported Parquet file with the right types, values and counts', async () => {
    const { stderr } = await exported(['out', 'all.parquet'])
    expect(stderr).toBe('6 events of out written to all.parquet.\n')
    const { stdout } = await run(
      python,
      [join(import.meta.dirname, 'read_export.py'), 'all.parquet'],
      {
        cwd: folder,
      },
    )
    const seen = asObject(JSON.parse(stdout))
    expect(seen['types']).toEqual(typesInDuckDb)
    const rows = asRows(seen['rows'])
    expect(rows).toHaveLength(6)
    expect(rows[0]).toMatchObject(valuesOfTheFirst)
    expect(rows[5]).toMatchObject(valuesOfTheLast)
    expect(seen['times']).toBe(6)
    expect(seen['pandas']).toEqual({
      rows: 6,
      large: Array(6).fill(Number.MAX_SAFE_INTEGER),
      at: Array(6).fill('2023-11-14T22:13:20.123000+00:00'),
      items: [['one', 'two'], ['one', 'two'], [], [], [], []],
    })
  })

  test('an export holds the events of the time and the contract that were named, and no others', async () => {
    const all = await lines('out')
    const times = all.map((event) => Number(asObject(event['svcMeta'])['timestamp']))
    const middle = times.toSorted((a, b) => a - b)[3] ?? 0
    const at = new Date(middle).toISOString()
    const before = await lines('out', '--until', at)
    const after = await lines('out', '--from', at)
    expect([before.length, after.length]).toEqual([
      times.filter((time) => time < middle).length,
      times.filter((time) => time >= middle).length,
    ])
    const second = await lines('out', '--schema', 'tests/every_type/2.0.0')
    expect(second.map(({ person }) => person)).toEqual(Array(4).fill('person-2'))
    await expect(exported(['out', 'none.parquet', '--from', '2099-01-01'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /contains no events to export, so a Parquet file .*\n  Only events since 2099.*\n  Why /,
      ),
    })
  })

  test('events that were derived long after they were sent are selected by when they were sent', async () => {
    const all = await lines('out')
    const times = all.map((event) => Number(asObject(event['svcMeta'])['timestamp']))
    const middle = new Date(times.toSorted((a, b) => a - b)[3] ?? 0).toISOString()
    const late = await account.output('in', 'late', { consentLevels: [0], from: 'earliest' })
    const mine = secretsOf(late)
    const lateLines = async (...args: string[]): Promise<number> => {
      const { stdout } = await exported(['late', '-o', 'jsonl', '-', ...args], mine)
      return stdout.split('\n').filter((line) => line !== '').length
    }
    await pollUntil(async () => (await lateLines()) === all.length, { deadlineMs, everyMs: 500 })
    expect([await lateLines('--until', middle), await lateLines('--from', middle)]).toEqual([
      (await lines('out', '--until', middle)).length,
      (await lines('out', '--from', middle)).length,
    ])
  })

  test('CSV has a column for each field of both versions, and what is null is empty', async () => {
    await exported(['out', 'all.csv', '--schema', 'tests/every_type/2.0.0'])
    const [header = '', line = ''] = (await readFile(join(folder, 'all.csv'), 'utf8')).split('\r\n')
    expect(header.split(',').slice(-2)).toEqual(['grows', 'added.text'])
    expect(line).toContain(
      'person-2,true,9007199254740991,1.5,AP8=,Zm91cg==,GREEN,now,5000000000,true,"{""a"":1,""b"":2}",[],' +
        '2024-10-04,2023-11-14T22:13:20.123Z,2023-11-14T22:13:20.123456Z,8000000000,new',
    )
  })

  test('an export that is ended early leaves what was there before, and nothing beside it', async () => {
    const silent = await authWithout(ground().everything.auth.url, () => undefined)
    const inside = await mkdtemp(join(folder, 'early-'))
    await writeFile(join(inside, 'old.jsonl'), 'old\n')
    const child = spawn(weir, ['export', 'out', 'old.jsonl'], {
      cwd: inside,
      env: env({ WEIR_AUTH_URL: silent.url }),
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    try {
      const isBegun = async () => (await readdir(inside)).some((name) => name.endsWith('.part'))
      await pollUntil(isBegun, { deadlineMs, everyMs: 20 })
      child.kill('SIGINT')
      expect(await ended).toBe(1)
    } finally {
      child.kill('SIGKILL')
      silent.close()
    }
    expect(await readdir(inside)).toEqual(['old.jsonl'])
    expect(await readFile(join(inside, 'old.jsonl'), 'utf8')).toBe('old\n')
  })

  test('an empty file, a misspelt contract and an input stream are explained', async () => {
    const { stderr } = await exported(['out', 'none.csv', '--from', '2099-01-01'])
    expect(stderr).toMatch(
      /^0 events of out written to none.csv.\nOnly events since 2099-01-01T00:00:00.000Z were wanted.\nWhy .*\/docs\/guide\/faq\n$/,
    )
    expect(await readFile(join(folder, 'none.csv'), 'utf8')).toMatch(/^svcMeta\.\S+\r\n$/)
    const withKey = { WEIR_API_KEY: account.apiKey }
    const misspelt = exported(['out', 'no.csv', '--schema', 'tests/every_type/2.0.1'], withKey)
    await expect(misspelt).rejects.toThrow('did you mean tests/every_type/2.0.0?')
    const kafka = (name: string, own: TestStream) =>
      run(weir, ['kafka', name], { cwd: folder, env: env({ ...withKey, ...secretsOf(own) }) })
    const aside = await account.input('aside')
    await expect(kafka('aside', aside)).rejects.toThrow(
      'aside is an input stream, and these credentials may not read it',
    )
    expect((await kafka('out', output)).stderr).toBe('')
  })

  test('what can be put right is said: other credentials, another listener, an auth without schemas', async () => {
    const old = await authWithout(ground().everything.auth.url, (response) =>
      response.writeHead(404).end(),
    )
    const input = await account.input('sealed')
    const paused = await account.output('in', 'paused', { consentLevels: [0] })
    await account.call('PATCH', '/v2/streams/in/outputs/paused', { enabled: false })
    const withKey = { WEIR_API_KEY: account.apiKey }
    const refusals = [
      [{ ...secretsOf(paused), ...withKey }, 'paused', 'paused is disabled'],
      [{ ...withKey, ...unset }, 'ou', 'there is no stream or output ou; did you mean out?'],
      [{}, 'ou', 'are the credentials of out, not of ou'],
      [secretsOf(paused), 'paused', 'or the stream is disabled.\n  If topic names have a prefix'],
      [{ WEIR_BILLING_ID: '' }, 'out', 'set WEIR_BILLING_ID.'],
      [secretsOf(input), 'sealed', "the credentials of sealed can't read the topic export.sealed"],
      // The new credentials are not saved, because they would not permit sending.
      [secretsOf(input), 'sealed', '\n  weir credentials rotate sealed --scope listen\n'],
      [
        secretsOf(input),
        'sealed',
        '\n  WEIR_CLIENT_ID=… WEIR_CLIENT_SECRET=… weir export sealed FILE\n',
      ],
      [{ WEIR_ANALYST_BROKERS: '127.0.0.1:1' }, 'out', '127.0.0.1:1'],
      [{ WEIR_AUTH_URL: old.url }, 'out', 'The schemas come from auth'],
    ] as const
    await Promise.all(
      refusals.map(([setting, name, told]) =>
        expect(exported([name, 'no.jsonl'], setting)).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringContaining(told),
        }),
      ),
    )
    old.close()
    expect((await readdir(folder)).filter((name) => /no\.jsonl|part/.test(name))).toEqual([])
  })
}

const secretsOf = ({ clientId, clientSecret }: TestStream) => ({
  WEIR_CLIENT_ID: clientId,
  WEIR_CLIENT_SECRET: clientSecret,
})

const unset = { WEIR_CLIENT_ID: '', WEIR_CLIENT_SECRET: '' }

const asRows = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asObject) : []

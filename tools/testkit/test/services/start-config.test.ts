// How services print their configuration, and refuse a wrong configuration. The real programs run, but end before they
// connect to Kafka.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { REPOSITORY, kekFilesIn, makeKekFiles } from '@weir/devstack'

import { compiledBefore } from '../../src/world/run-program.ts'

// Starting programs takes long on a busy machine.
jest.setTimeout(60_000)

let folder: string
let kek: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-start-config-'))
  await makeKekFiles(folder)
  kek = kekFilesIn(folder).auth
  await writeFile(join(folder, 'password'), 'hunter2\n')
  await writeFile(join(folder, 'empty'), ' \n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Ended = { code: number; stdout: string; stderr: string }

function run(service: string, args: string[], env: Record<string, string>): Promise<Ended> {
  const main = join(REPOSITORY, 'services', service, 'src', 'main.ts')
  return new Promise((resolve) => {
    const options = { env: { ...compiledBefore(), ...env }, timeout: 30_000 }
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
}

test('--print-config shows what holds, without secrets, and ends with 0', async () => {
  const { code, stdout, stderr } = await run('auth', ['--print-config'], {
    KAFKA_BROKERS: 'kafka-0:9093,kafka-1:9093',
    KAFKA_SASL_MECHANISM: 'PLAIN',
    KAFKA_SASL_USERNAME: 'weir-auth',
    KAFKA_SASL_PASSWORD_FILE: join(folder, 'password'),
    SCHEMA_REGISTRY_URL: 'https://me:pass@word@registry/apis/',
    KEK_FILE: kek,
    PLATFORM_KEY: 'the platform key itself, long enough',
  })
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'AUTH_PORT=8081',
      'KAFKA_BROKERS=kafka-0:9093,kafka-1:9093',
      'KAFKA_TLS=false',
      'SCHEMA_REGISTRY_URL=https://********@registry/apis',
      'PLATFORM_KEY=********',
      '# TLS_CERT_FILE is not set',
    ]),
  )
  expect(stdout).not.toMatch(/the platform key itself|pass@word|word@|hunter2/)
})

test('all that is wrong is told at once, a sentence each, and nothing starts', async () => {
  const { code, stdout, stderr } = await run('ingest', [], {
    INGEST_PORT: '80800',
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: 'weir-ingest',
    KAFKA_SASL_PASSWORD_FILE: join(folder, 'empty'),
    KAFKA_TLS_CA_FILE: kek,
    KEK_FILE: join(folder, 'lost'),
    TLS_CERT_FILE: join(folder, 'password'),
  })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).not.toContain('hunter2')
  expect(
    stderr
      .replaceAll(/\. Set it to: .*/g, '')
      .trim()
      .split('\n'),
  ).toEqual([
    "The configuration can't be used:",
    '- INGEST_PORT is wrong: it must be a whole number from 0 to 65535',
    '- KAFKA_BROKERS is not set',
    '- TLS_KEY_FILE is wrong: it and TLS_CERT_FILE go together: set both or neither',
    '- KAFKA_TLS_CA_FILE is wrong: it needs KAFKA_TLS=true',
    "- KEK_FILE is wrong: the file can't be read (ENOENT)",
    '- TLS_CERT_FILE is wrong: the file contains no PEM certificate',
    '- KAFKA_TLS_CA_FILE is wrong: the file contains no PEM certificate',
    '- KAFKA_SASL_PASSWORD_FILE is wrong: the file is empty, or far too large for a secret',
  ])
})

test('--help lists the settings; any other argument is refused', async () => {
  const help = await run('output', ['--help'], {})
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('LAG_SERIES_MAX  (default: 100; series, 1 to 10000)')
  expect(help.stdout).toContain('KEK_FILE  (default: not set; file)')
  const other = await run('output', ['--port', '80'], {})
  expect([other.code, other.stdout]).toEqual([2, ''])
  expect(other.stderr).toBe('output takes no such argument; see --help.\n')
})

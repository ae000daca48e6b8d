// Certificates that change while the port is open. Open connections are not affected, new ones get the new certificate,
// and an unusable pair changes nothing.
import {
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import * as http2 from 'node:http2'
import * as https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import * as tls from 'node:tls'

import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from '@jest/globals'
import { makeAuthority } from '@weir/devstack'
import type { Authority, CertificateFiles } from '@weir/devstack'
import { createLog, createMetrics, followTls, pollUntil } from '@weir/kit'
import type { FollowedTls } from '@weir/kit'

import { listenHttp, listenNode } from '../src/index.ts'
import type { Listener } from '../src/index.ts'
import { callHttp2, text } from './clients.ts'

// Starting programs takes long on a busy machine.
jest.setTimeout(60_000)

let folder: string
let authority: Authority
let ca: Buffer
let pairs: Record<'old' | 'new' | 'newest', CertificateFiles>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-tls-reload-'))
  authority = await makeAuthority(folder, 'test')
  ca = await readFile(authority.ca)
  pairs = {
    old: await authority.issue('old', ['IP:127.0.0.1'], 1),
    new: await authority.issue('new', ['IP:127.0.0.1'], 2),
    newest: await authority.issue('newest', ['IP:127.0.0.1'], 2),
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const lines: string[] = []
const log = createLog(
  'test',
  'info',
  new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  }),
)
let at: CertificateFiles
let followed: FollowedTls | undefined
let metrics = createMetrics('test')
beforeEach(async () => {
  lines.length = 0
  metrics = createMetrics('test')
  const own = await mkdtemp(join(folder, 'files-'))
  at = { cert: join(own, 'tls.crt'), key: join(own, 'tls.key') }
  await put(pairs.old)
})
afterEach(() => followed?.stop())

async function put({ cert, key }: CertificateFiles): Promise<void> {
  await copyFile(cert, at.cert)
  await copyFile(key, at.key)
}

async function follow(): Promise<FollowedTls> {
  const settings = { TLS_CERT_FILE: at.cert, TLS_KEY_FILE: at.key, TLS_RELOAD_MS: 20 }
  const { tls: pair } = await followTls(settings, { log, registry: metrics })
  if (pair === undefined) throw new Error('no TLS')
  followed = pair
  return pair
}

/** Resolves with the name in the certificate that a new connection gets. */
function nameShown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

const untilShown = (port: number, name: string) =>
  pollUntil(async () => (await nameShown(port)) === name, {
    deadlineMs: 60_000,
    what: `the certificate ${name}`,
  })

async function metric(name: string): Promise<number> {
  const [value] = (await metrics.getSingleMetric(name)?.get())?.values ?? []
  return value?.value ?? NaN
}

const answer = 'still here'
const listeners: [string, (pair: FollowedTls) => Promise<Listener>][] = [
  ...(['own', 'node'] as const).map((which): [string, (pair: FollowedTls) => Promise<Listener>] => [
    `listenHttp with HTTP/2 by ${which}`,
    (pair) =>
      listenHttp({
        port: 0,
        http2: which,
        tls: pair,
        handler: () => ({ status: 200, body: answer }),
        onError: () => undefined,
      }),
  ]),
  [
    'listenNode',
    (pair) => listenNode({ port: 0, tls: pair, server: createServer((_, res) => res.end(answer)) }),
  ],
]

describe.each(listeners)('%s', (_, listen) => {
  test('keeps its connections and shows the new certificate to the next', async () => {
    // Given
    const { port, close } = await listen(await follow())
    const session = http2.connect(`https://127.0.0.1:${port}`, { ca })
    const agent = new https.Agent({ ca, keepAlive: true, maxSockets: 1 })
    const names = new Set<string>()
    const callHttp1 = async (): Promise<string> => {
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        https.get({ host: '127.0.0.1', port, agent }, resolve).once('error', reject),
      )
      const { socket } = response
      if (socket instanceof tls.TLSSocket) names.add(String(socket.getPeerCertificate().subject.CN))
      return text(response)
    }
    expect((await callHttp2(session, {})).body).toBe(answer)
    expect(await callHttp1()).toBe(answer)
    expect(await nameShown(port)).toBe('old')

    // When
    await put(pairs.new)
    await untilShown(port, 'new')

    // Then
    expect((await callHttp2(session, {})).body).toBe(answer)
    expect(await callHttp1()).toBe(answer)
    expect([...names]).toEqual(['old'])
    const later = http2.connect(`https://127.0.0.1:${port}`, { ca })
    expect((await callHttp2(later, {})).body).toBe(answer)
    expect(later.alpnProtocol).toBe('h2')

    for (const client of [session, later]) client.destroy()
    agent.destroy()
    await close(100)
  })
})

describe('a new pair', () => {
  let listener: Listener
  beforeEach(async () => {
    listener = await listenHttp({
      port: 0,
      tls: await follow(),
      handler: () => ({ status: 200 }),
      onError: () => undefined,
    })
  })
  afterEach(() => listener.close(100))

  test('that is of no use changes nothing, is told once and counted; the next good one is taken', async () => {
    // Given: the certificate is replaced, its key is not
    await copyFile(pairs.new.cert, at.cert)
    const failures = () => metric('weir_tls_reload_failures_total')

    // When
    await pollUntil(async () => (await failures()) > 0, { deadlineMs: 60_000, what: 'a failure' })

    // Then
    expect(await nameShown(listener.port)).toBe('old')
    expect(lines.filter((line) => line.includes('the old one stays'))).toHaveLength(1)
    await writeFile(at.cert, 'no certificate at all')
    await pollUntil(async () => (await failures()) > 1, { deadlineMs: 60_000, what: 'a failure' })
    expect(await nameShown(listener.port)).toBe('old')

    await put(pairs.newest)
    await untilShown(listener.port, 'newest')
  })

  test('says how long it is good for', async () => {
    const day = 86_400
    expect(await metric('weir_tls_certificate_expiry_seconds')).toBeLessThanOrEqual(day)
    await put(pairs.new)
    await untilShown(listener.port, 'new')
    expect(await metric('weir_tls_certificate_expiry_seconds')).toBeGreaterThan(day)
  })
})

test('a mount of Kubernetes is followed, whose files are links into a folder that a link names', async () => {
  // Given
  const mount = await mkdtemp(join(folder, 'mount-'))
  const fill = async (name: string, { cert, key }: CertificateFiles): Promise<void> => {
    await mkdir(join(mount, name))
    await copyFile(cert, join(mount, name, 'tls.crt'))
    await copyFile(key, join(mount, name, 'tls.key'))
  }
  await fill('..2026_1', pairs.old)
  await symlink('..2026_1', join(mount, '..data'))
  at = { cert: join(mount, 'tls.crt'), key: join(mount, 'tls.key') }
  await symlink('..data/tls.crt', at.cert)
  await symlink('..data/tls.key', at.key)
  const listener = await listenHttp({
    port: 0,
    tls: await follow(),
    handler: () => ({ status: 200 }),
    onError: () => undefined,
  })
  expect(await nameShown(listener.port)).toBe('old')

  // When
  await fill('..2026_2', pairs.new)
  await symlink('..2026_2', join(mount, '..data_tmp'))
  await rename(join(mount, '..data_tmp'), join(mount, '..data'))

  // Then
  await untilShown(listener.port, 'new')
  expect(await metric('weir_tls_reload_failures_total')).toBe(0)
  await listener.close(100)
})

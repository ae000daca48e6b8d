// The certificate of three services with TLS is replaced. Open connections continue, new connections get the new
// certificate, and metrics show its expiry.
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import * as http2 from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as tls from 'node:tls'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeAuthority } from '@weir/devstack'
import type { CertificateFiles, Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { startWorld } from '../../src/index.ts'
import type { World } from '../../src/index.ts'

const DAY = 86_400

let folder: string
let world: World
let ca: Buffer
let [oldPair, newPair, at]: CertificateFiles[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-services-tls-'))
  const authority = await makeAuthority(folder, 'test')
  ca = await readFile(authority.ca)
  oldPair = await authority.issue('old', ['IP:127.0.0.1'], 1)
  newPair = await authority.issue('new', ['IP:127.0.0.1'], 2)
  at = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  await put(oldPair)
  world = await startWorld({ TLS_CERT_FILE: at.cert, TLS_KEY_FILE: at.key, TLS_RELOAD_MS: '100' })
})

afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function put(pair: CertificateFiles | undefined): Promise<void> {
  if (pair === undefined || at === undefined) throw new Error('there are no certificates')
  await copyFile(pair.cert, at.cert)
  await copyFile(pair.key, at.key)
}

const portOf = (service: Service): number => Number(new URL(service.url).port)

function nameShown(service: Service): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port: portOf(service), ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

/** Opens a connection. `ask` sends a request over this connection, and returns the status. */
function connect(service: Service) {
  const session = http2.connect(`https://127.0.0.1:${portOf(service)}`, { ca })
  return {
    ask: () =>
      new Promise<number>((resolve, reject) => {
        const stream = session.request({ ':path': '/nowhere' })
        stream.once('response', (headers) => resolve(Number(headers[':status'])))
        stream.once('error', reject)
        stream.resume()
      }),
    close: () => session.destroy(),
  }
}

async function secondsLeft(service: Service): Promise<number> {
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  return Number(/^weir_tls_certificate_expiry_seconds\{.*\} (-?\d+)$/m.exec(metrics)?.[1])
}

test('a certificate is replaced in all three services, and no connection is lost', async () => {
  // Given
  const services = [world.auth, world.ingest, world.output]
  const connections = services.map(connect)
  const before = await Promise.all(connections.map(({ ask }) => ask()))
  for (const service of services) {
    expect([service.name, await nameShown(service)]).toEqual([service.name, 'old'])
    expect(await secondsLeft(service)).toBeLessThanOrEqual(DAY)
  }

  // When
  await put(newPair)
  for (const service of services) {
    const isNew = async () => (await nameShown(service)) === 'new'
    await pollUntil(isNew, { deadlineMs: 60_000, what: `the new certificate of ${service.name}` })
  }

  // Then
  expect(await Promise.all(connections.map(({ ask }) => ask()))).toEqual(before)
  expect(before).toEqual([404, 404, 404])
  for (const service of services) expect(await secondsLeft(service)).toBeGreaterThan(DAY)
  for (const { close } of connections) close()
})

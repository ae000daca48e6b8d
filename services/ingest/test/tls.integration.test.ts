// Under TLS the handshake selects HTTP/2 or HTTP/1.1 (ALPN), and nothing is sent without encryption.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { connect, protocols } from './support/clients.ts'
import { expectAccepted, expectRefusal, goodRequest, startScene } from './support/scene.ts'
import type { Scene } from './support/scene.ts'

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (answering) => {
  let folder: string
  let scene: Scene
  let ingest: Service
  let ca: Buffer
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-ingest-tls-'))
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const request = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ')
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', keyFile, '-out', certFile]
    await promisify(execFile)('openssl', [...request, ...names, ...files])
    ca = await readFile(certFile)
    scene = await startScene()
    ingest = await scene.world.replica('ingest', {
      INGEST_HTTP: answering,
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
    })
  })
  afterAll(async () => {
    await scene?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const secureUrl = (): string => ingest.url.replace('http:', 'https:')

  describe.each(protocols)('over %s', (protocol) => {
    test('events are accepted and refused as in the clear', async () => {
      const client = await connect[protocol](secureUrl(), { ca })
      expectAccepted(await client.send(await goodRequest(scene.token)))
      const wrong = await goodRequest(scene.token, { url: 'x' })
      expectRefusal(await client.send(wrong), 400, 'validation_failed')
      client.close()
    })

    test('nothing is answered in the clear', async () => {
      const attempt = async () => {
        const client = await connect[protocol](ingest.url)
        return client.send(await goodRequest(scene.token))
      }
      await expect(attempt()).rejects.toThrow(/./)
    })
  })

  test.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [[], false],
  ] as const)('of the protocols %j the handshake chooses %s', async (offered, chosen) => {
    const { port } = new URL(ingest.url)
    const socket = tls.connect({
      host: '127.0.0.1',
      port: Number(port),
      ca,
      ALPNProtocols: [...offered],
    })
    await new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('error', reject),
    )
    expect(socket.alpnProtocol).toBe(chosen)
    socket.destroy()
  })

  test('a certificate without its key is refused at the start', async () => {
    const start = scene.world.replica('ingest', { TLS_CERT_FILE: join(folder, 'cert.pem') })
    await expect(start).rejects.toThrow(/TLS_KEY_FILE/)
  })
})

// Requests that are refused before their event is read: a wrong path or method, an unknown encoding, or a body that is
// too large.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { measured } from '@weir/testkit'
import { connect, protocols } from '../support/clients.ts'
import { metricOf } from '../support/admin.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  expectRefusal,
  expectRefusedByBoth,
  goodRequest,
  schema,
  startSceneApart,
} from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

const bytesMax = 1_048_576
const tooLarge = `An event has at most ${bytesMax} bytes, also when it is decompressed`

/** A gibibyte of zeros, compressed. */
let bomb: Buffer
beforeAll(async () => {
  const zeros = Array<Buffer>(1_024).fill(Buffer.alloc(1_048_576))
  bomb = await buffer(Readable.from(zeros).pipe(createGzip()))
})

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (answering) => {
  let scene: ApartScene
  beforeAll(async () => {
    scene = await startSceneApart({ env: { INGEST_HTTP: answering } })
  })
  afterAll(() => scene?.stop())

  test.each([
    '/',
    '/events/',
    '/event/',
    '/Event',
    '/event/x',
    '//event',
    '/%65vent',
    '/health/live',
    '/metrics',
  ])('%s is not a path of ingest', async (path) => {
    const request = { ...(await goodRequest(scene.token)), path }
    await expectRefusedByBoth(scene, request, [404, 'not_found'])
    await expectRefusedByBoth(scene, { ...request, headers: [] }, [404, 'not_found'])
  })

  test.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    '%s is not a method of /event',
    async (method) => {
      for (const protocol of protocols) {
        const answer = await scene.clients[protocol].send({ method })
        expectRefusal(answer, 405, 'method_not_allowed')
        expect(answer.header('allow')).toBe('POST')
      }
    },
  )

  test('HEAD is not a method of /event either, and its answer has no body', async () => {
    for (const protocol of protocols) {
      const answer = await scene.clients[protocol].send({ method: 'HEAD' })
      expect([answer.status, answer.header('allow'), answer.body]).toEqual([405, 'POST', ''])
    }
  })

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'x', 'gzip;q=1'])(
    'the content encoding %s is not known',
    async (encoding) => {
      const request = await goodRequest(scene.token)
      const headers = [...request.headers, ['content-encoding', encoding] as const]
      for (const protocol of protocols) {
        const answer = await scene.clients[protocol].send({ ...request, headers })
        expectRefusal(answer, 415, 'unsupported_encoding')
        expect(answer.header('accept-encoding')).toBe('gzip, identity')
      }
    },
  )

  describe('the size of an event', () => {
    /** Returns an event of exactly this many octets. */
    const eventOfBytes = async (bytes: number): Promise<string> => {
      const empty = await eventOf('clickstream', { referrer: '' })
      return eventOf('clickstream', { referrer: 'r'.repeat(bytes - empty.length) })
    }
    const headers = () => [bearer(scene.token), schema('clickstream')]
    const gzip = ['content-encoding', 'gzip'] as const

    test('may be 1 MiB, as it is and compressed', async () => {
      const body = await eventOfBytes(bytesMax)
      for (const protocol of protocols) {
        expectAccepted(await scene.clients[protocol].send({ headers: headers(), body }))
        expectAccepted(
          await scene.clients[protocol].send({
            headers: [...headers(), gzip],
            body: gzipSync(body),
          }),
        )
      }
    })

    test('may not be one octet more, as it is or compressed', async () => {
      const body = await eventOfBytes(bytesMax + 1)
      const refusal = [413, 'too_large', tooLarge] as const
      await expectRefusedByBoth(scene, { headers: headers(), body }, refusal)
      const compressed = { headers: [...headers(), gzip], body: gzipSync(body) }
      await expectRefusedByBoth(scene, compressed, refusal)
    })

    test('of 2 MiB and of 8 MiB is read and dropped, so that the client sees the answer', async () => {
      for (const mebibytes of [2, 8]) {
        const body = Buffer.alloc(mebibytes * 1_048_576, 'x')
        await expectRefusedByBoth(scene, { headers: headers(), body }, [413, 'too_large', tooLarge])
      }
      await expectServing()
    })

    test('that never compresses counts as it was received', async () => {
      const body = gzipSync(randomBytes(bytesMax))
      const request = { headers: [...headers(), gzip], body }
      await expectRefusedByBoth(scene, request, [413, 'too_large', tooLarge])
    })

    test('of more than that is cut off, and others are served on', async () => {
      const body = Buffer.alloc(9 * 1_048_576, 'x')
      for (const protocol of protocols) {
        const client = await connect[protocol](scene.world.ingest.url)
        // The client may or may not get the response before the connection ends.
        const answer = await client.send({ headers: headers(), body }).catch(() => undefined)
        if (answer !== undefined) expectRefusal(answer, 413, 'too_large', tooLarge)
        client.close()
      }
      await expectServing()
    })

    test('is refused quickly when a little gzip would become a gibibyte', async () => {
      expect(bomb.length).toBeLessThan(bytesMax)
      const request = { headers: [...headers(), gzip], body: bomb }
      const before = await memoryBytes()
      await expectRefusedByBoth(scene, request, [413, 'too_large', tooLarge])
      expect((await memoryBytes()) - before).toBeLessThan(measured(50 * 1_048_576))
    })

    test('is bounded by Kafka too, where somebody set less for the topic', async () => {
      const stream = await scene.account.input('narrow')
      const { configs } = scene.reader.admin
      const { own } = (await configs.topics([stream.topic])).get(stream.topic) ?? {}
      await configs.setTopic(stream.topic, { ...own, 'max.message.bytes': '20000' })
      const token = await scene.account.token(stream)
      const send = async (bytes: number) =>
        scene.clients['HTTP/2'].send({
          headers: [bearer(token), schema('clickstream')],
          body: await eventOfBytes(bytes),
        })
      await pollUntil(async () => (await send(30_000)).status === 413, {
        deadlineMs: 60_000,
        what: 'Kafka’s use of the smaller bound',
      })
      expectRefusal(await send(30_000), 413, 'too_large')
      expectAccepted(await send(10_000))
    })

    async function expectServing(): Promise<void> {
      for (const protocol of protocols) {
        const client = await connect[protocol](scene.world.ingest.url)
        expectAccepted(await client.send(await goodRequest(scene.token)))
        client.close()
      }
    }

    const memoryBytes = (): Promise<number> =>
      metricOf(scene.world.ingest.adminUrl, 'process_resident_memory_bytes')
  })

  test('how large an event may be, and which headers name its contract, are settings', async () => {
    const { url } = await scene.world.replica('ingest', {
      INGEST_HTTP: answering,
      EVENT_BYTES_MAX: '1024',
      SCHEMA_ID_HEADERS: 'X-Contract',
    })
    for (const protocol of protocols) {
      const client = await connect[protocol](url)
      const headers = [bearer(scene.token), ['x-contract', 'clickstream'] as const]
      const send = (body: string) => client.send({ headers, body })
      expectAccepted(await send(await eventOf('clickstream')))
      const sentence = 'An event has at most 1024 bytes, also when it is decompressed'
      expectRefusal(await send('x'.repeat(1_025)), 413, 'too_large', sentence)
      const named = await client.send(await goodRequest(scene.token))
      expectRefusal(named, 400, 'schema_id_missing')
      client.close()
    }
  })
})

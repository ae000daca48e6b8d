// Malicious input: invalid and forged Avro, very deep JSON, garbage instead of HTTP. Each input is refused and takes no
// more memory than its own bytes, and ingest keeps serving.
import { randomBytes } from 'node:crypto'
import * as net from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { pollUntil } from '@weir/kit'
import { compiledExample, madeEvent, newContract, measured } from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'
import { connect, protocols } from '../support/clients.ts'
import type { Answer, Header } from '../support/clients.ts'
import { askAdmin, metricOf } from '../support/admin.ts'
import { avroLong as long, hostileOctets, requestHead } from '../support/hostile.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  expectRefusal,
  goodRequest,
  schema,
  startSceneApart,
} from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

const marker = 'Only-In-An-Event'
const avro: Header = ['content-type', 'avro/binary']
const json: Header = ['content-type', 'application/json']

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (answering) => {
  let scene: ApartScene
  beforeAll(async () => {
    scene = await startSceneApart({
      contracts: ['clickstream', 'demo_v1'],
      env: { INGEST_HTTP: answering },
    })
  })
  afterAll(() => scene?.stop())

  afterEach(() => expectUnharmed())

  /** Checks that ingest still serves on the same port, and has counted no 500 or 503. */
  async function expectUnharmed(): Promise<void> {
    for (const protocol of protocols) {
      const client = await connect[protocol](scene.world.ingest.url)
      expectAccepted(await client.send(await goodRequest(scene.token)))
      client.close()
    }
    expect(await faults()).toBe(0)
  }

  const metric = (name: string, labels = {}): Promise<number> =>
    metricOf(scene.world.ingest.adminUrl, name, labels)
  const faults = async (): Promise<number> =>
    (await metric('svc_ingest_requests_total', { status: '500' })) +
    (await metric('svc_ingest_requests_total', { status: '503' }))

  const post = (body: string | Buffer, ...headers: Header[]): Promise<Answer> =>
    scene.clients['HTTP/2'].send({ headers: [bearer(scene.token), ...headers], body })

  async function avroOf(name: ExampleContract): Promise<{ contract: Contract; datum: Buffer }> {
    const contract = await compiledExample(name)
    const event = contract.readJson(Buffer.from(await eventOf(name)))
    return { contract, datum: contract.encode(event) }
  }

  describe('Avro', () => {
    test.each(['clickstream', 'demo_v1'] as const)(
      'of %s is refused when it ends early, wherever that is, or too late',
      async (name) => {
        const { datum } = await avroOf(name)
        const torn = Array.from(datum.keys(), (end) => datum.subarray(0, end))
        const longer = [Buffer.of(0), randomBytes(100), datum].map((rest) =>
          Buffer.concat([datum, rest]),
        )
        for (const answer of await Promise.all(
          [...torn, ...longer].map((body) => post(body, schema(name), avro)),
        ))
          expectRefusal(answer, 400, 'undecodable')
      },
    )

    test('with any one of its octets changed is accepted or refused, and that is all', async () => {
      const { datum } = await avroOf('clickstream')
      const bodies = [...datum.keys()].flatMap((at) =>
        [0x01, 0x80, 0xff].map((mask) => {
          const changed = Buffer.from(datum)
          changed[at] = (changed[at] ?? 0) ^ mask
          return changed
        }),
      )
      const answers = await Promise.all(
        bodies.map((body) => post(body, schema('clickstream'), avro)),
      )
      for (const { status } of answers) expect([204, 400]).toContain(status)
    })

    test('that claims more than it has costs no more than it has', async () => {
      const { contract } = await avroOf('clickstream')
      const event = contract.readJson(Buffer.from(await eventOf('clickstream', { abTests: [] })))
      const head = contract.encode(event).subarray(0, -1)
      const claims = [
        long(10_000_000n),
        Buffer.concat([long(-10_000_000n), long(1n)]),
        Buffer.concat([long(-10_000_000n), long(10_000_000n)]),
        long(2n ** 62n),
        long(-(2n ** 63n)),
        Buffer.concat([long(1n), long(2n ** 31n)]),
        Buffer.concat([long(1n), long(-1n)]),
        Buffer.alloc(11, 0xff),
      ]
      await post(Buffer.concat([head, long(1n)]), schema('clickstream'), avro)
      const before = await metric('process_resident_memory_bytes')
      for (let round = 0; round < 20; round += 1)
        for (const answer of await Promise.all(
          claims.map((claim) => post(Buffer.concat([head, claim]), schema('clickstream'), avro)),
        ))
          expectRefusal(answer, 400, 'undecodable')
      const grown = (await metric('process_resident_memory_bytes')) - before
      expect(grown).toBeLessThan(measured(30 * 1_048_576))
    })

    test('without end is refused', async () => {
      for (const octet of [0x00, 0x02, 0x80, 0xff])
        expectRefusal(
          await post(Buffer.alloc(1_048_576, octet), schema('clickstream'), avro),
          400,
          'undecodable',
        )
    })
  })

  describe('depth', () => {
    beforeAll(() =>
      newContract(scene.account, {
        id: 'chain',
        fields: [
          {
            name: 'head',
            type: {
              type: 'record',
              name: 'Link',
              fields: [{ name: 'next', type: ['null', 'Link'] }],
            },
          },
        ],
      }),
    )

    test('of JSON is bounded', async () => {
      const chain = (depth: number): string => {
        const next = `${'{"Link":{"next":'.repeat(depth)}null${'}}'.repeat(depth)}`
        return madeEvent({ head: 0 }).replace('"head":0', `"head":{"next":${next}}`)
      }
      expectAccepted(await post(chain(10), schema('chain')))
      expectRefusal(await post(chain(50_000), schema('chain')), 400, 'undecodable')
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const times = Math.floor(1_000_000 / (open.length + close.length))
        const deep = `${open.repeat(times)}1${close.repeat(times)}`
        expectRefusal(await post(deep, schema('clickstream'), json), 400, 'undecodable')
        expectRefusal(
          await post(open.repeat(200_000), schema('clickstream'), json),
          400,
          'undecodable',
        )
        const inside = (await eventOf('clickstream', { abTests: 0 })).replace(
          '"abTests":0',
          `"abTests":${deep}`,
        )
        expectRefusal(await post(inside, schema('clickstream'), json), 400, 'undecodable')
      }
    })

    test('of Avro is bounded', async () => {
      const envelope = Buffer.from([0, 0, 0, 0, 0, 0]) // nulls, and no consent levels
      const key = Buffer.from([2, 0x6b])
      const chain = (depth: number) =>
        Buffer.concat([envelope, key, Buffer.alloc(depth, 2), Buffer.of(0)])
      expectAccepted(await post(chain(10), schema('chain'), avro))
      expectRefusal(await post(chain(1_000_000), schema('chain'), avro), 400, 'undecodable')
    })
  })

  test('a schema id may be anything, and is known only if it is a contract', async () => {
    const names = [
      '__proto__',
      'constructor',
      '../clickstream',
      'a'.repeat(4_000),
      "'; drop",
      '%00',
    ]
    for (const id of names) {
      const answer = await post(await eventOf('clickstream'), schema(id))
      expectRefusal(answer, 400, 'unknown_schema_id', `Unknown schema id: '${id}'`)
    }
  })

  test('headers without end are refused', async () => {
    const many = Array.from({ length: 500 }, (_, index): Header => [`x-${index}`, 'x'])
    const large: Header[] = [['x-large', 'x'.repeat(40_000)]]
    for (const protocol of protocols)
      for (const headers of [many, large]) {
        const client = await connect[protocol](scene.world.ingest.url)
        const answer = await client
          .send({ ...(await goodRequest(scene.token)), headers: [bearer(scene.token), ...headers] })
          .catch(() => undefined)
        expect([undefined, 431]).toContain(answer?.status)
        client.close()
      }
  })

  describe('a connection', () => {
    test.each(hostileOctets)('of %s is closed or refused', async (_, octets) => {
      const text = await exchange(octets)
      expect(text).not.toMatch(/^HTTP\/1\.1 [25]/)
    })

    test('that breaks off within a body is no fault of ours', async () => {
      const authorization = `authorization: Bearer ${scene.token}\r\nsvc-schema-id: clickstream\r\n`
      const aborted = async (): Promise<void> => {
        await exchange(`${requestHead}${authorization}content-length: 1000\r\n\r\n{"svcMeta":`)
      }
      await Promise.all(Array.from({ length: 10 }, aborted))
      expect(await faults()).toBe(0)
      expect(scene.world.logLines().filter((line) => line.includes('a request failed'))).toEqual([])
    })

    test('that is dropped with fifty requests on it harms nobody', async () => {
      const client = await connect['HTTP/2'](scene.world.ingest.url)
      const request = await goodRequest(scene.token)
      const sent = Array.from({ length: 50 }, () => client.send(request).catch(() => undefined))
      client.close()
      await Promise.all(sent)
    })

    /** Sends exactly these octets, and collects the response. */
    async function exchange(octets: string | Buffer): Promise<string> {
      const socket = net.connect(Number(new URL(scene.world.ingest.url).port), '127.0.0.1')
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
      socket.end(octets)
      await pollUntil(() => socket.closed, { deadlineMs: 60_000, what: 'closing' })
      socket.destroy()
      return Buffer.concat(chunks).toString('latin1')
    }
  })

  test('no value of an event gets into the log or the metrics', async () => {
    const parts = [
      { url: marker },
      { conversion: marker },
      { [marker]: 1 },
      { customer: marker },
      { abTests: [marker, 1] },
      {},
    ]
    for (const part of parts) {
      const event = await eventOf('clickstream', {
        referrer: marker,
        producerSessionId: marker,
        ...part,
      })
      await post(event, schema('clickstream'))
      await post(event.slice(0, -5), schema('clickstream'))
      await post(gzipSync(event).subarray(0, -5), schema('clickstream'), [
        'content-encoding',
        'gzip',
      ])
    }
    const metrics = await (await askAdmin(scene.world.ingest.adminUrl, '/metrics')).text()
    expect(metrics).not.toContain(marker)
    expect(metrics).not.toContain(scene.account.billingId)
    const lines = scene.world.logLines().join('\n')
    expect(lines).not.toContain(marker)
    expect(lines).not.toContain(scene.token)
  })
})

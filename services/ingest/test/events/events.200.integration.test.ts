// POST /events with a real broker: accepted events, in both framings and over both protocols, and rejected events, with
// the same error messages as from POST /event.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { asObject, compiledExample, exampleEvent, plainEvent, textIn } from '@weir/testkit'
import { contentType, frame, framed, framings, readBatchAnswer } from '../support/batches.ts'
import type { BatchAnswer, FramingName } from '../support/batches.ts'
import { protocols } from '../support/clients.ts'
import type { Header, Protocol } from '../support/clients.ts'
import { metricOf } from '../support/admin.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  expectRefusal,
  schema,
  startSceneApart,
} from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

const bytesMax = 1_048_576

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (http2) => {
  let scene: ApartScene
  let contract: Contract
  let streams = 0
  beforeAll(async () => {
    scene = await startSceneApart({ env: { INGEST_HTTP: http2 } })
    contract = await compiledExample('clickstream')
  })
  afterAll(() => scene?.stop())

  async function freshStream(more: object = {}): Promise<{ topic: string; token: string }> {
    const stream = await scene.account.input(`batch-${(streams += 1)}`, more)
    return { topic: stream.topic, token: await scene.account.token(stream) }
  }

  const post = (body: Buffer, { protocol = 'HTTP/2', headers, token = scene.token }: PostOptions) =>
    scene.clients[protocol].send({
      path: '/events',
      headers: [bearer(token), schema('clickstream'), ...headers],
      body,
    })
  type PostOptions = { protocol?: Protocol; headers: readonly Header[]; token?: string }

  const bodyOf = (framing: FramingName, events: readonly string[]): Buffer =>
    Buffer.concat(events.map((event) => framed(framing, event, contract)))

  const sendBatch = async (
    framing: FramingName,
    body: Buffer,
    token = scene.token,
  ): Promise<BatchAnswer> =>
    readBatchAnswer(await post(body, { headers: [contentType(framing)], token }))

  test.each(
    framings.flatMap((framing) => protocols.map((protocol) => [framing, protocol] as const)),
  )(
    'every event of %s over %s is stored, one person after the other as sent, also from gzip',
    async (framing, protocol) => {
      const { topic, token } = await freshStream()
      const events = await Promise.all(
        Array.from({ length: 300 }, (_, i) =>
          eventOf('clickstream', { producerSessionId: `person-${i % 7}`, eventType: `${i}` }),
        ),
      )
      const body = bodyOf(framing, events)
      const headers = [contentType(framing)]
      const gzip: Header[] = [...headers, ['content-encoding', 'gzip']]
      const plain = await post(body, { protocol, headers, token })
      const zipped = await post(gzipSync(body), { protocol, headers: gzip, token })
      for (const answer of [plain, zipped])
        expect(answer).toMatchObject({ status: 200, body: '{"accepted":300,"rejected":[]}' })
      const byPerson = new Map<string, number[]>()
      for (const record of await scene.reader.readUntil(topic, 600)) {
        const key = record.key?.toString() ?? ''
        const at = Number(textIn(plainEvent(contract, record), 'eventType'))
        byPerson.set(key, [...(byPerson.get(key) ?? []), at])
      }
      expect(byPerson.size).toBe(7)
      for (const marks of byPerson.values()) {
        const once = marks.slice(0, marks.length / 2)
        expect(once).toEqual(once.toSorted((a, b) => a - b))
        expect(marks).toEqual([...once, ...once])
      }
    },
  )

  test('what is rejected has status, code and sentence of POST /event', async () => {
    const example = await exampleEvent('clickstream')
    const meta = asObject(example['svcMeta'])
    const wrong = await Promise.all(
      [
        { conversion: 'many' },
        { producerSessionId: '' },
        { svcMeta: { ...meta, consentLevels: [256] } },
        { url: 'nowhere' },
        { referrer: 'r'.repeat(bytesMax) },
      ].map((parts) => eventOf('clickstream', parts)),
    )
    const asLine = (sentence: string): string =>
      sentence
        .replace('The body is not JSON', 'The line is not JSON; each event must be on one line')
        .replace('The body begins', 'The line begins')
    const good = await eventOf('clickstream')
    const short = await eventOf('clickstream', { svcMeta: { consentLevels: [] } })
    const lines = [good, 'nonsense', `[${good}]`, ...wrong, short]
    const answers = await Promise.all(
      lines.map((body) =>
        scene.clients['HTTP/2'].send({
          headers: [
            bearer(scene.token),
            schema('clickstream'),
            ['content-type', 'application/json'],
          ],
          body,
        }),
      ),
    )
    const expected = answers.flatMap(({ status, header, body }, index) =>
      status === 204 ? [] : [{ index, status, code: header('svc-error'), message: asLine(body) }],
    )
    expect(expected.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 413])
    expect(await sendBatch('ndjson', Buffer.from(lines.join('\r\n')))).toEqual({
      accepted: 2,
      rejected: expected,
    })
  })

  test('a large event in the middle is skipped in either framing, and 1 MiB is not too large', async () => {
    const good = await eventOf('clickstream')
    const empty = await eventOf('clickstream', { referrer: '' })
    const largest = await eventOf('clickstream', {
      referrer: 'r'.repeat(bytesMax - empty.length),
    })
    const beyond = Buffer.alloc(5 * bytesMax, 'x')
    const message = `An event has at most ${bytesMax} bytes, also when it is decompressed`
    const told = { ndjson: message, 'avro-batch': expect.stringMatching(/^An event .*big-endian/) }
    for (const framing of framings) {
      const large =
        framing === 'ndjson' ? Buffer.concat([beyond, Buffer.from('\n')]) : frame(beyond)
      const [before, after] = [bodyOf(framing, [good]), bodyOf(framing, [largest, good])]
      const rejected = [{ index: 1, status: 413, code: 'too_large', message: told[framing] }]
      const answer = await sendBatch(framing, Buffer.concat([before, large, after]))
      expect(answer).toEqual({ accepted: 3, rejected })
    }
  })

  test('a body that ends within an event has it rejected, wherever that is', async () => {
    const whole = framed('avro-batch', await eventOf('clickstream'), contract)
    const cutOff = { index: 1, status: 400, code: 'undecodable' }
    for (const end of [1, 3, 4, 5, whole.length - 1]) {
      const { accepted, rejected } = await sendBatch(
        'avro-batch',
        Buffer.concat([whole, whole.subarray(0, end)]),
      )
      expect([accepted, rejected]).toEqual([
        1,
        [
          {
            ...cutOff,
            message: expect.stringMatching(/^The body ends within the event\. .*big-endian/),
          },
        ],
      ])
    }
    const empty = await sendBatch('avro-batch', Buffer.alloc(4))
    const message = expect.stringContaining('The length before the event is 0')
    expect(empty).toEqual({ accepted: 0, rejected: [{ ...cutOff, index: 0, message }] })
    const line = await eventOf('clickstream')
    const torn = await sendBatch('ndjson', Buffer.from(`${line}\n${line.slice(0, -1)}`))
    expect(torn).toMatchObject({ accepted: 1, rejected: [cutOff] })
    expect(await sendBatch('ndjson', Buffer.from(`\n\n${line}\n\r\n${line}`))).toMatchObject({
      accepted: 2,
      rejected: [],
    })
  })

  test('a body that stops to be gzip has the rest rejected', async () => {
    const line = await eventOf('clickstream')
    const gzip: Header[] = [contentType('ndjson'), ['content-encoding', 'gzip']]
    const rejected = { status: 400, code: 'undecodable', message: 'The body is not valid gzip' }
    const nonsense = await post(Buffer.from(line), { headers: gzip })
    expect(readBatchAnswer(nonsense)).toEqual({
      accepted: 0,
      rejected: [{ index: 0, ...rejected }],
    })
    const zipped = gzipSync(
      Array.from({ length: 5_000 }, (_, i) => line + ' '.repeat(i % 9)).join('\n'),
    )
    const torn = readBatchAnswer(await post(zipped.subarray(0, -100), { headers: gzip }))
    expect(torn.rejected).toEqual([{ index: torn.accepted, ...rejected }])
  })

  test('the serialization type may stand in for the content type, and nothing else may', async () => {
    const line = await eventOf('clickstream')
    const types = [
      ['Svc-Serialization-Type', 'application/json', 'ndjson'],
      ['Strm-Serialization-Type', 'application/x-avro-binary', 'avro-batch'],
    ] as const
    for (const [name, type, framing] of types) {
      const answer = await post(bodyOf(framing, [line]), { headers: [[name, type]] })
      expect(answer).toMatchObject({ status: 200, body: '{"accepted":1,"rejected":[]}' })
    }
    for (const headers of [[], [['content-type', 'application/json']]] as Header[][])
      for (const protocol of protocols) {
        const answer = await post(Buffer.from(line), { protocol, headers })
        expectRefusal(answer, 400, 'undecodable')
        expect(answer.body).toMatch(/application\/x-ndjson.*application\/x-avro-batch/)
      }
  })

  test('what is wrong with the request is answered as by POST /event', async () => {
    const used = await freshStream({ limits: { eventRate: '1000', eventCount: '1' } })
    const line = await eventOf('clickstream')
    expect(await sendBatch('ndjson', Buffer.from(line), used.token)).toMatchObject({ accepted: 1 })
    const output = await scene.account.output('in', `derived-${http2}`, { consentLevels: [0] })
    const good = [bearer(scene.token), schema('clickstream'), contentType('ndjson')]
    const requests: Header[][] = [
      [],
      [bearer('nonsense'), ...good.slice(1)],
      [bearer(await scene.account.token(output)), ...good.slice(1)],
      [bearer(used.token), ...good.slice(1)],
      [...good, ['content-encoding', 'br']],
      [bearer(scene.token), contentType('ndjson')],
      [bearer(scene.token), schema('unknown'), contentType('ndjson')],
      [...good, schema('clickstream')],
    ]
    const seen: number[] = []
    for (const headers of requests)
      for (const protocol of protocols) {
        const { send } = scene.clients[protocol]
        const [one, many] = [
          await send({ headers, body: line }),
          await send({ path: '/events', headers, body: line }),
        ]
        expect([many.status, many.header('svc-error'), many.body]).toEqual([
          one.status,
          one.header('svc-error'),
          one.body,
        ])
        seen.push(many.status)
      }
    expect(new Set(seen)).toEqual(new Set([401, 403, 402, 415, 400]))
    for (const method of ['GET', 'PUT'])
      expectRefusal(
        await scene.clients['HTTP/2'].send({ path: '/events', method }),
        405,
        'method_not_allowed',
      )
  })

  test('each event counts for the limits, and the first beyond them is rejected', async () => {
    const line = await eventOf('clickstream')
    const body = Buffer.from(Array.from({ length: 10 }, () => line).join('\n'))
    const counted = await freshStream({ limits: { eventRate: '1000', eventCount: '4' } })
    const answer = await sendBatch('ndjson', body, counted.token)
    expect(answer.accepted).toBe(4)
    expect(answer.rejected.map(({ index, status, code }) => [index, status, code])).toEqual(
      [4, 5, 6, 7, 8, 9].map((index) => [index, 402, 'event_count_used_up']),
    )
    await scene.reader.readUntil(counted.topic, 4)
    const rated = await freshStream({ limits: { eventRate: '2', eventCount: '1000' } })
    const { accepted, rejected } = await sendBatch('ndjson', body, rated.token)
    expect(accepted).toBeGreaterThan(0)
    expect(accepted + rejected.length).toBe(10)
    for (const { status, code } of rejected)
      expect([status, code]).toEqual([429, 'event_rate_exceeded'])
    expectRefusal(
      await post(body, { headers: [contentType('ndjson')], token: rated.token }),
      429,
      'event_rate_exceeded',
    )
  })

  test('the metrics count each event by its code', async () => {
    const line = await eventOf('clickstream')
    const count = (code: string): Promise<number> =>
      metricOf(scene.world.ingest.adminUrl, 'svc_ingest_events_total', { code })
    const before = [await count('none'), await count('undecodable')] as const
    await sendBatch('ndjson', Buffer.from([line, 'x', line, 'y', line].join('\n')))
    expect([await count('none'), await count('undecodable')]).toEqual([
      before[0] + 3,
      before[1] + 2,
    ])
  })

  test('single events are taken as ever beside it', async () => {
    const headers = [bearer(scene.token), schema('clickstream')]
    const body = await eventOf('clickstream')
    for (const protocol of protocols)
      expectAccepted(await scene.clients[protocol].send({ headers, body }))
  })
})

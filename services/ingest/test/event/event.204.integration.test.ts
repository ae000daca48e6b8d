// Accepted events, in every form that a producer may use, and the records in Kafka.
import { once } from 'node:events'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  asObject,
  compiledExample,
  exampleContracts,
  exampleEvent,
  plainEvent,
  textIn,
} from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'
import type { Contract } from '@weir/contracts'
import { protocols } from '../support/clients.ts'
import { flat, schemaIdHeaders, typeHeaders } from '../support/event-forms.ts'
import type { Header } from '../support/clients.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  schema,
  startScene,
  startSceneApart,
} from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

const names: readonly ExampleContract[] = Object.values(exampleContracts)
const idOf = (name: ExampleContract): string => (name === 'demo_event' ? 'demo/event/1.0.0' : name)

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (answering) => {
  let scene: Scene<Pick<Scene['world'], 'ingest'>>
  const contracts = new Map<ExampleContract, Contract>()
  beforeAll(async () => {
    const isDefault = answering === 'own'
    const env = { INGEST_HTTP: answering }
    scene = await (isDefault
      ? startScene({ contracts: names })
      : startSceneApart({ contracts: names, env }))
    for (const name of names) contracts.set(name, await compiledExample(name))
  })
  afterAll(() => scene?.stop())

  const contractOf = (name: ExampleContract): Contract => {
    const contract = contracts.get(name)
    if (contract === undefined) throw new Error(`no contract ${name}`)
    return contract
  }

  /** Creates a stream, so that a test sees only its own events. */
  async function freshStream(name: string): Promise<{ topic: string; token: string }> {
    const stream = await scene.account.input(name)
    return { topic: stream.topic, token: await scene.account.token(stream) }
  }

  async function formsOf(name: ExampleContract): Promise<[string, Buffer, Header[]][]> {
    const strict = await eventOf(name)
    const lenient = JSON.stringify(
      Object.fromEntries(
        Object.entries(asObject(flat(await exampleEvent(name)))).filter(
          ([, part]) => part !== null,
        ),
      ),
    )
    const contract = contractOf(name)
    const { consentLevels } = asObject((await exampleEvent(name))['svcMeta'])
    const short = await eventOf(name, { svcMeta: { consentLevels } })
    const avro = contract.encode(contract.readJson(Buffer.from(strict)))
    return [
      ['strict', Buffer.from(strict), []],
      ['lenient', Buffer.from(lenient), []],
      ['nothing but consent levels in the envelope', Buffer.from(short), []],
      ['avro', avro, []],
      ['strict, gzip', gzipSync(strict), [['content-encoding', 'gzip']]],
      ['avro, GZIP', gzipSync(avro), [['content-encoding', 'GZIP']]],
      ['as it is', Buffer.from(strict), [['content-encoding', 'identity']]],
    ]
  }

  test.each(names)(
    'an event of %s is stored the same from strict, lenient and short JSON, Avro and gzip, over both protocols',
    async (name) => {
      const { topic, token } = await freshStream(name.replaceAll('_', '-'))
      const forms = await formsOf(name)
      for (const protocol of protocols)
        for (const [form, body, headers] of forms) {
          const answer = await scene.clients[protocol].send({
            headers: [bearer(token), schema(idOf(name)), ...headers],
            body,
          })
          expect([protocol, form, answer.status, answer.body]).toEqual([protocol, form, 204, ''])
        }
      const contract = contractOf(name)
      const stored = (await scene.reader.readUntil(topic, 2 * forms.length)).map((record) => {
        const { svcMeta, ...fields } = plainEvent(contract, record)
        return { fields, consentLevels: asObject(svcMeta)['consentLevels'] }
      })
      const { svcMeta, ...sent } = asObject(flat(await exampleEvent(name)))
      for (const { fields, consentLevels } of stored) {
        expect(consentLevels).toEqual(asObject(svcMeta)['consentLevels'])
        expect(fields).toEqual(stored[0]?.fields) // one person on one day has the same ciphertext
        expect(Object.keys(fields)).toEqual(Object.keys(sent))
      }
    },
  )

  test('PII fields are encrypted and nothing else is changed', async () => {
    const { topic, token } = await freshStream('sealed')
    const body = await eventOf('clickstream')
    await scene.clients['HTTP/2'].send({ headers: [bearer(token), schema('clickstream')], body })
    const [record] = await scene.reader.readUntil(topic, 1)
    if (record === undefined) throw new Error('nothing is stored')
    const { svcMeta: _, ...stored } = plainEvent(contractOf('clickstream'), record)
    const { svcMeta: __, ...sent } = await exampleEvent('clickstream')
    const sealed = /^[A-Za-z0-9+/]{28,}=*$/
    expect(stored).toEqual({
      ...sent,
      producerSessionId: expect.stringMatching(sealed),
      customer: { id: expect.stringMatching(sealed) },
    })
    expect(record.value?.includes('customer-00042')).toBe(false)
    expect(record.value?.includes('session-0001')).toBe(false)
  })

  test.each([
    ['clickstream', { schemaId: 'mine', nonce: 7, timestamp: 7, keyLink: { int: 7 } }],
    ['demo_v1', { schemaId: { string: 'mine' }, nonce: { int: 7 }, timestamp: { long: 7 } }],
    ['demo_event', { eventContractRef: 'mine', nonce: { int: 7 }, keyLink: { string: 'mine' } }],
  ] as const)(
    "the envelope of %s is the service's, whatever the producer put there",
    async (name, mine) => {
      const { topic, token } = await freshStream(`envelope-${name.replaceAll('_', '-')}`)
      const event = await exampleEvent(name)
      const forged = { ...asObject(event['svcMeta']), ...mine, billingId: { string: 'mine' } }
      const body = JSON.stringify({ ...event, svcMeta: forged })
      const beforeMs = Date.now()
      expectAccepted(
        await scene.clients['HTTP/2'].send({ headers: [bearer(token), schema(idOf(name))], body }),
      )
      const [record] = await scene.reader.readUntil(topic, 1)
      if (record === undefined) throw new Error('nothing is stored')
      const meta = asObject(plainEvent(contractOf(name), record)['svcMeta'])
      const keyLink = record.headers['svc-key-link']
      const uuid = record.key?.toString('utf8') ?? ''
      expect(keyLink?.toString('hex')).toBe(uuid.replaceAll('-', ''))
      expect(meta).toEqual({
        [name === 'demo_event' ? 'eventContractRef' : 'schemaId']: idOf(name),
        nonce: expect.any(Number),
        timestamp: record.timestampMs,
        keyLink: name === 'demo_event' ? uuid : (keyLink?.readUInt32BE(0) ?? 0) & 0x7fffffff,
        billingId: scene.account.billingId,
        consentLevels: asObject(event['svcMeta'])['consentLevels'],
      })
      expect(meta['nonce']).not.toBe(7)
      expect(record.timestampMs).toBeGreaterThanOrEqual(beforeMs)
      expect(record.timestampMs).toBeLessThanOrEqual(Date.now())
      expect(record.headers['svc-schema-id']?.toString()).toBe(idOf(name))
    },
  )

  test('the nonce differs from event to event, over the whole of int32', async () => {
    const { topic, token } = await freshStream('nonce')
    const body = await eventOf('clickstream')
    const request = { headers: [bearer(token), schema('clickstream')], body }
    await Promise.all(Array.from({ length: 40 }, () => scene.clients['HTTP/2'].send(request)))
    const nonces = (await scene.reader.readUntil(topic, 40)).map((record) =>
      Number(asObject(plainEvent(contractOf('clickstream'), record)['svcMeta'])['nonce']),
    )
    expect(new Set(nonces).size).toBe(40)
    expect(nonces.some((nonce) => nonce < 0) && nonces.some((nonce) => nonce > 0)).toBe(true)
  })

  test.each(schemaIdHeaders)('the schema id may come as %s', async (_, headers) => {
    for (const protocol of protocols) {
      expectAccepted(
        await scene.clients[protocol].send({
          // HTTP/2 has only lower-case names
          headers: [
            bearer(scene.token),
            ...headers.map(([name, value]): Header => [
              protocol === 'HTTP/2' ? name.toLowerCase() : name,
              value,
            ]),
          ],
          body: await eventOf('clickstream'),
        }),
      )
    }
  })

  test.each(typeHeaders)('%s', async (_, form, headers, status) => {
    const json = Buffer.from(await eventOf('clickstream'))
    const contract = contractOf('clickstream')
    const body = form === 'json' ? json : contract.encode(contract.readJson(json))
    for (const protocol of protocols) {
      const answer = await scene.clients[protocol].send({
        headers: [bearer(scene.token), schema('clickstream'), ...headers],
        body,
      })
      expect([protocol, answer.status]).toEqual([protocol, status])
    }
  })

  test('an event without any consent level is stored', async () => {
    const { topic, token } = await freshStream('no-consent')
    const { svcMeta } = await exampleEvent('clickstream')
    const body = await eventOf('clickstream', {
      svcMeta: { ...asObject(svcMeta), consentLevels: [] },
    })
    expectAccepted(
      await scene.clients['HTTP/2'].send({ headers: [bearer(token), schema('clickstream')], body }),
    )
    const [record] = await scene.reader.readUntil(topic, 1)
    if (record === undefined) throw new Error('nothing is stored')
    expect(asObject(plainEvent(contractOf('clickstream'), record)['svcMeta'])).toMatchObject({
      consentLevels: [],
    })
  })

  test('a query is ignored', async () => {
    for (const protocol of protocols) {
      expectAccepted(
        await scene.clients[protocol].send({
          path: '/event?x=1&y',
          headers: [bearer(scene.token), schema('clickstream')],
          body: await eventOf('clickstream'),
        }),
      )
    }
  })

  test('events of one person keep their order', async () => {
    const { topic, token } = await freshStream('order')
    for (let index = 0; index < 20; index += 1) {
      expectAccepted(
        await scene.clients['HTTP/2'].send({
          headers: [bearer(token), schema('clickstream')],
          body: await eventOf('clickstream', { eventType: `step-${index}` }),
        }),
      )
    }
    const records = await scene.reader.readUntil(topic, 20)
    expect(new Set(records.map((record) => record.key?.toString())).size).toBe(1)
    const steps = records.map((record) =>
      textIn(plainEvent(contractOf('clickstream'), record), 'eventType'),
    )
    expect(steps).toEqual(Array.from({ length: 20 }, (_, index) => `step-${index}`))
  })

  test('a connection announces 100 concurrent streams, and takes more requests than that', async () => {
    const session = http2.connect(scene.world.ingest.url)
    const [settings] = await once(session, 'remoteSettings')
    expect(settings).toMatchObject({ maxConcurrentStreams: 100 })
    session.destroy()
    const body = await eventOf('clickstream')
    const request = { headers: [bearer(scene.token), schema('clickstream')], body }
    const sent = Array.from({ length: 300 }, () => scene.clients['HTTP/2'].send(request))
    for (const answer of await Promise.all(sent)) expectAccepted(answer)
  })

  test('the body may come in pieces, announced or not', async () => {
    const body = await eventOf('clickstream')
    const headers = { authorization: `Bearer ${scene.token}`, 'svc-schema-id': 'clickstream' }
    for (const more of [
      {},
      { 'content-length': Buffer.byteLength(body) },
      { expect: '100-continue' },
    ]) {
      const request = http.request(`${scene.world.ingest.url}/event`, {
        method: 'POST',
        headers: { ...headers, ...more },
      })
      for (let at = 0; at < body.length; at += 100) request.write(body.slice(at, at + 100))
      request.end()
      const [response] = await once(request, 'response')
      response.resume()
      expect([more, response.statusCode]).toEqual([more, 204])
    }
    const session = http2.connect(scene.world.ingest.url)
    const stream = session.request({ ...headers, ':method': 'POST', ':path': '/event' })
    for (let at = 0; at < body.length; at += 100) stream.write(body.slice(at, at + 100))
    stream.end()
    const [answer] = await once(stream, 'response')
    expect(answer).toMatchObject({ ':status': 204 })
    session.destroy()
  })
})

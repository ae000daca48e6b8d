// Bodies that can't be decoded as an event of their contract are refused. The error message names the field, and quotes
// nothing from the body (docs/wire-format.md Ingest).
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, test } from '@jest/globals'
import { exampleEvent, madeEvent, newContract } from '@weir/testkit'
import type { Header } from '../support/clients.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  expectRefusedByBoth,
  schema,
  startScene,
} from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene({ contracts: ['clickstream', 'demo_v1'] })
  await newContract(scene.account, { id: 'long', fields: [{ name: 'big', type: 'long' }] })
})
afterAll(() => scene?.stop())

const refused = (
  body: string | Buffer,
  headers: readonly Header[],
  code: string,
  sentence?: string,
): Promise<void> =>
  expectRefusedByBoth(scene, { body, headers: [bearer(scene.token), ...headers] }, [
    400,
    code,
    sentence,
  ])

describe('what is no event of the contract is refused, and the sentence names the field', () => {
  const json: readonly Header[] = [['content-type', 'application/json']]
  const avro: readonly Header[] = [['content-type', 'avro/binary']]

  const form: readonly Header[] = [['content-type', 'application/x-www-form-urlencoded']]
  const empty = 'The body is empty; send one event'
  const list =
    'The body begins like a JSON array; /event takes one event, and /events several, one per line (application/x-ndjson)'
  const gzip = 'The body begins like gzip data; send it with Content-Encoding: gzip'
  const several =
    'The body has more after its first JSON value; /events takes several events, one per line'
  const unread = (fault: string): string =>
    `The body does not begin with {, and no Content-Type says what it is, so it was read as Avro: Field 'svcMeta/schemaId' ${fault}. ` +
    'Send JSON with Content-Type: application/json, and Avro with avro/binary'

  test.each<[string, string | Buffer, readonly Header[], string | undefined]>([
    ['no body', '', [], empty],
    ['no body that is JSON', '', json, empty],
    ['no body that is Avro', '', avro, `${empty}, with curl by --data-binary`],
    ['null', 'null', json, 'The body is not an object'],
    ['a list', '[]', json, list],
    ['a list without a content type', '[{"svcMeta":{}}]', [], list],
    ['a list on lines of its own', ' \r\n\t[\n', form, list],
    ['a text', '"x"', json, 'The body is not an object'],
    ['a text without a content type', 'hello', [], unread('ends too early')],
    ['a number without a content type', '7', form, unread('has a negative length')],
    ['an object after a space', ' {}', [], unread('ends too early')],
    ['a text that says it is Avro', 'hello', avro, "Field 'svcMeta/schemaId' ends too early"],
    ['a list that says it is Avro', '[]', avro, "Field 'svcMeta/schemaId' has a negative length"],
    ['an empty object', '{}', [], "Field 'svcMeta' is missing"],
    ['half an object', '{"svcMeta":', [], 'The body is not JSON'],
    ['two objects', '{}\n{}', [], several],
    ['a byte order mark', '\uFEFF{}', json, 'The body is not JSON'],
    [
      "the five octets of Confluent's serializer",
      Buffer.of(0, 0, 0, 0, 1, 2),
      avro,
      "Field 'svcMeta/billingId' has a union branch that the schema lacks. If Confluent's serializer wrote it, leave out the first five bytes",
    ],
    [
      'an Avro container',
      Buffer.from('Obj\u0001\u0004'),
      avro,
      'The body begins like an Avro container; send the event without one, in fastavro by schemaless_writer',
    ],
    [
      'JSON that says it is Avro',
      '{"svcMeta":{}}',
      avro,
      'The body begins like JSON; send JSON with Content-Type: application/json',
    ],
    ['gzip data that says nothing', gzipSync('{}'), [], gzip],
    ['gzip data that says it is JSON', gzipSync('{}'), json, gzip],
    ['gzip data that says it is Avro', gzipSync('{}'), avro, gzip],
  ])('%s', async (_, body, headers, sentence) => {
    await refused(body, [schema('clickstream'), ...headers], 'undecodable', sentence)
  })

  test.each<[string, object, string | undefined]>([
    ['a text for an int', { conversion: '1' }, "Field 'conversion' is not an int"],
    ['a fraction for an int', { conversion: 1.5 }, "Field 'conversion' is not an int"],
    ['more than an int holds', { conversion: 2 ** 31 }, "Field 'conversion' is not an int"],
    ['a number for a text', { url: 1 }, "Field 'url' is not a string of well-formed Unicode"],
    ['null for a text', { url: null }, "Field 'url' is null, not a string of well-formed Unicode"],
    ['a text for a record', { customer: 'c' }, "Field 'customer' is not an object"],
    ['a text for a list', { abTests: 'a' }, "Field 'abTests' is not a list"],
    [
      'a number in a list of texts',
      { abTests: ['a', 1] },
      "Field 'abTests/1' is not a string of well-formed Unicode",
    ],
    ['a field left out', { customer: {} }, "Field 'customer/id' is missing"],
    ['a field that is not there', { more: 1 }, "Field 'more' is not in the schema"],
    [
      'an unknown field inside',
      { customer: { id: 'c', x: 1 } },
      "Field 'customer/x' is not in the schema",
    ],
  ])('%s', async (_, parts, sentence) => {
    await refused(
      await eventOf('clickstream', parts),
      [schema('clickstream')],
      'undecodable',
      sentence,
    )
  })

  test('names from the prototype of an object', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body = (await eventOf('clickstream')).replace(/\}$/, `,"${name}":{"x":1}}`)
      const sentence = `Field '${name}' is not in the schema`
      await refused(body, [schema('clickstream')], 'undecodable', sentence)
    }
  })

  test('a field twice, even with the same value', async () => {
    const twice = (await eventOf('clickstream')).replace(/\}$/, ',"conversion":1}')
    await refused(twice, [schema('clickstream')], 'undecodable', 'The body names a field twice')
  })

  test('a long beyond 2^53', async () => {
    for (const big of ['9007199254740992', '-9007199254740993', '1e300'])
      await refused(
        madeEvent({ big: 0 }).replace('"big":0', `"big":${big}`),
        [schema('long')],
        'undecodable',
        "Field 'big' is not a long within ±(2^53 - 1)",
      )
  })

  test('a union branch that the schema lacks', async () => {
    const event = { ...(await exampleEvent('demo_v1')), unique_identifier: { int: 1 } }
    await refused(JSON.stringify(event), [schema('demo_v1')], 'undecodable')
  })

  test.each(['\\ud800', '\\udc00x', 'a\\ud83d'])('a lone surrogate, %s', async (escape) => {
    for (const field of ['referrer', 'producerSessionId']) {
      const body = (await eventOf('clickstream', { [field]: 'HERE' })).replace('HERE', escape)
      await refused(
        body,
        [schema('clickstream')],
        'undecodable',
        `Field '${field}' is not a string of well-formed Unicode`,
      )
    }
  })

  test('octets that are not UTF-8', async () => {
    const [head = '', tail = ''] = (await eventOf('clickstream', { referrer: 'HERE' })).split(
      'HERE',
    )
    for (const octets of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      const body = Buffer.concat([Buffer.from(head), Buffer.from(octets), Buffer.from(tail)])
      await refused(body, [schema('clickstream')], 'undecodable', 'The body is not valid UTF-8')
    }
  })

  test('what says it is gzip and is not', async () => {
    const whole = gzipSync(await eventOf('clickstream'))
    const broken = Buffer.from(whole)
    broken.writeUInt32LE(1, whole.length - 8) // the checksum
    for (const body of [
      await eventOf('clickstream'),
      '',
      whole.subarray(0, -1),
      broken,
      Buffer.concat([whole, Buffer.from('left over')]),
    ])
      await refused(
        body,
        [schema('clickstream'), ['content-encoding', 'gzip']],
        'undecodable',
        'The body is not valid gzip',
      )
  })
})

test('NUL and U+FFFD are texts like others', async () => {
  for (const text of ['\u0000', 'a\u0000b', '\uFFFD', '\uFFFE\u{10FFFF}'])
    expectAccepted(
      await scene.clients['HTTP/2'].send({
        headers: [bearer(scene.token), schema('clickstream')],
        body: await eventOf('clickstream', { producerSessionId: text, referrer: text }),
      }),
    )
})

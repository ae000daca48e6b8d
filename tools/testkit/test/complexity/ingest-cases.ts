// The worst bodies for ingest, from a producer with a token. The worst events are in json-cases.ts and avro-cases.ts.
import { gzipSync } from 'node:zlib'
import {
  data,
  frame,
  frameTypes,
  headers,
  post,
  postHead,
  preface,
  settings,
  text,
  times,
} from '../../../../packages/http2/conformance/frames.ts'
import { many } from './parts.ts'
import { asProducer, byPost, wide } from './requests.ts'
import type { Case } from './requests.ts'

const bomb = Buffer.concat([
  postHead('/'),
  Buffer.concat([Buffer.of(0x40), text('a'), text('x'.repeat(120))]),
  Buffer.alloc(12_000, 0xbe),
])

/** Sends HTTP/2 frames. The last frame is an error, so that the service closes the connection. */
const byHttp2 =
  (frames: (size: number) => Buffer): Case['send'] =>
  (size) =>
    Buffer.concat([preface, settings(), frames(size), data(0, Buffer.of(0))])

export const eventsCases: readonly Case[] = [
  {
    name: 'a head in pieces of one octet over HTTP/2',
    at: 'ingest',
    size: 1_000,
    send: byHttp2((n) =>
      Buffer.concat([
        post(1, '/event', 0),
        ...many(n, () => frame(frameTypes.continuation, 0, 1, Buffer.of(0x82))),
      ]),
    ),
    status: 0,
  },
  {
    name: 'heads that all point at one large field over HTTP/2',
    at: 'ingest',
    size: 12,
    send: byHttp2((n) => times(Math.min(n, 100), (i) => headers(2 * i + 1, bomb))),
    status: 0,
  },
  {
    name: 'an event of many fields that nobody knows',
    at: 'ingest',
    size: 8_000,
    send: byPost('/event', asProducer, wide),
    status: 400,
  },
  {
    name: 'an event that is nested without end',
    at: 'ingest',
    size: 40_000,
    send: byPost('/event', asProducer, (n) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`),
    status: 400,
  },
  {
    name: 'an event of octets that are none',
    at: 'ingest',
    size: 120_000,
    send: byPost('/event', asProducer, (n) => Buffer.alloc(n, 2)),
    status: 400,
  },
  {
    name: 'an event that is larger the more of it is unpacked',
    at: 'ingest',
    size: 400_000,
    send: byPost(
      '/event',
      (scene) => [...asProducer(scene), ['content-encoding', 'gzip']],
      (n) => gzipSync(Buffer.alloc(n)),
    ),
    status: [400, 413],
  },
  {
    name: 'many lines that are no events',
    at: 'ingest',
    size: 2_000,
    send: byPost(
      '/events',
      (scene) => [...asProducer(scene), ['content-type', 'application/x-ndjson']],
      (n) => '{}\n'.repeat(n),
    ),
    status: 200,
  },
  {
    name: 'many events of no octets',
    at: 'ingest',
    size: 2_000,
    send: byPost(
      '/events',
      (scene) => [...asProducer(scene), ['content-type', 'application/x-avro-batch']],
      (n) => Buffer.alloc(4 * n),
    ),
    status: 200,
  },
  {
    name: 'many lines of blanks, packed',
    at: 'ingest',
    size: 200_000,
    send: byPost(
      '/events',
      (scene) => [
        ...asProducer(scene),
        ['content-type', 'application/x-ndjson'],
        ['content-encoding', 'gzip'],
      ],
      (n) => gzipSync(Buffer.alloc(n, ' \n')),
    ),
    status: 200,
  },
]

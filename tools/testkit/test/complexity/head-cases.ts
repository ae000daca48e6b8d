// The worst heads of requests. They stay within 16 KiB at 8 times their size, because larger heads aren't read.
import { requestBytes } from '../../src/complexity/exchange.ts'
import { many } from './parts.ts'
import { asProducer, byHead, byKey } from './requests.ts'
import type { Case } from './requests.ts'

export const headsCases: readonly Case[] = [
  {
    name: 'a path of escapes',
    at: 'auth',
    size: 600,
    send: byHead(
      'GET',
      (n) => `/v2/contracts/${'%41'.repeat(n)}`,
      (_, scene) => byKey(scene),
    ),
    status: 404,
  },
  {
    name: 'a path of nothing but slashes',
    at: 'auth',
    size: 1_800,
    send: byHead('GET', (n) => `/v2/streams${'/'.repeat(n)}`),
    status: 404,
  },
  {
    name: 'a path with an escape that breaks off at its end',
    at: 'auth',
    size: 600,
    send: byHead('GET', (n) => `/v2/streams/${'%41'.repeat(n)}%e2/usage`),
    status: [400, 401, 404],
  },
  {
    name: 'a query of many parameters',
    at: 'auth',
    size: 450,
    send: byHead(
      'GET',
      (n) => `/v2/audit?${many(n, (i) => `a${i % 10}=`).join('&')}`,
      (_, scene) => byKey(scene),
    ),
    status: 200,
  },
  {
    name: 'a query of one parameter again and again, with escapes',
    at: 'auth',
    size: 140,
    send: byHead(
      'GET',
      (n) => `/v2/audit?${'from=%2b%2b&'.repeat(n)}`,
      (_, scene) => byKey(scene),
    ),
    status: 422,
  },
  {
    name: 'many types that are accepted',
    at: 'auth',
    size: 400,
    send: (n, scene) =>
      requestBytes({
        method: 'GET',
        path: `/v2/streams/${scene.stream}/usage`,
        headers: [...byKey(scene), ['accept', 'a;q=1,'.repeat(n / 2)]],
      }),
    status: 200,
  },
  {
    name: 'cookies, origins and languages that nobody asked for',
    at: 'auth',
    size: 90,
    send: byHead(
      'GET',
      () => '/openapi.json',
      (n) => [
        ['cookie', 'a=b; '.repeat(n)],
        ['origin', 'https://'.repeat(n)],
        ['accept-language', 'a,'.repeat(n)],
      ],
    ),
    status: 200,
  },
  {
    name: 'an Authorization of blanks',
    at: 'auth',
    size: 1_700,
    send: byHead(
      'GET',
      () => '/v2/streams',
      (n) => [['authorization', `Bearer ${' '.repeat(n)}a b`]],
    ),
    status: [401, 429],
  },
  {
    name: 'headers as many as may be',
    at: 'ingest',
    size: 12,
    send: byHead(
      'POST',
      () => '/event',
      (n, scene) => [
        ...asProducer(scene),
        ...many(Math.min(n, 90), (i): [string, string] => [`x-${i}`, 'y'.repeat(100)]),
      ],
    ),
    status: 400,
  },
  {
    name: 'a content type of many parameters',
    at: 'ingest',
    size: 400,
    send: byHead(
      'POST',
      () => '/events',
      (n, scene) => [...asProducer(scene), ['content-type', `multipart/mixed${';a=b'.repeat(n)}`]],
    ),
    status: 400,
  },
  {
    name: 'a token of nothing but dots',
    at: 'ingest',
    size: 1_000,
    send: byHead(
      'POST',
      () => '/event',
      (n) => [['authorization', `Bearer ${'.'.repeat(n)}`]],
    ),
    status: 401,
  },
]

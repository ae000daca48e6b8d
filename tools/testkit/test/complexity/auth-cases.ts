// The worst bodies for auth: from unauthenticated clients that request tokens, and from an account's owner.
import { requestBytes } from '../../src/complexity/exchange.ts'
import { many } from './parts.ts'
import { byHead, byKey, byPost, form, json, list, wide } from './requests.ts'
import type { Case } from './requests.ts'

export const tokensCases: readonly Case[] = [
  {
    name: 'a form of many parameters',
    at: 'auth',
    size: 500,
    send: byPost(
      '/oauth2/token',
      () => form,
      (n) => many(n, (i) => i.toString(36)).join('&'),
    ),
    status: [400, 413],
  },
  {
    name: 'a form of one parameter again and again, beyond all bounds',
    at: 'auth',
    size: 16_000,
    send: byPost(
      '/oauth2/token',
      () => form,
      (n) => 'a=b&'.repeat(n),
    ),
    status: [400, 413],
  },
  {
    name: 'a form of escapes',
    at: 'auth',
    size: 600,
    send: byPost(
      '/oauth2/token',
      () => form,
      (n) => `grant_type=${'%61'.repeat(n)}`,
    ),
    status: [400, 401, 429],
  },
  {
    name: 'a secret of Basic that is one long colon',
    at: 'auth',
    size: 1_300,
    send: byHead(
      'POST',
      () => '/oauth2/token',
      (n) => [
        ...form,
        ['authorization', `Basic ${Buffer.from(`a${':%'.repeat(n / 3)}`).toString('base64')}`],
      ],
    ),
    status: 400,
  },
  {
    name: 'credentials among many members',
    at: 'auth',
    size: 200,
    send: byPost('/auth', () => json, wide),
    status: 400,
  },
  {
    name: 'a refresh token of nothing but dots',
    at: 'auth',
    size: 1_200,
    send: byPost(
      '/refresh',
      () => json,
      (n) => JSON.stringify({ refreshToken: '.'.repeat(n) }),
    ),
    status: [401, 429],
  },
]

export const managementCases: readonly Case[] = [
  {
    name: 'a stream with many members that nobody knows',
    at: 'auth',
    size: 1_000,
    send: byPost('/v2/streams', byKey, wide),
    status: [413, 422],
  },
  {
    name: 'a stream of tags that are no text',
    at: 'auth',
    size: 3_000,
    send: byPost('/v2/streams', byKey, (n) => `{"name":"a","tags":${list(n, '1')}}`),
    status: [413, 422],
  },
  {
    name: 'an output of many levels that are none',
    at: 'auth',
    size: 3_000,
    send: (n, scene) =>
      requestBytes({
        path: `/v2/streams/${scene.stream}/outputs`,
        headers: byKey(scene),
        body: `{"name":"a","consentLevelType":"GRANULAR","consentLevels":${list(n, '-1')}}`,
      }),
    status: [413, 422],
  },
  {
    name: 'credentials of many scopes',
    at: 'auth',
    size: 3_000,
    send: (n, scene) =>
      requestBytes({
        path: `/v2/streams/${scene.stream}/credentials`,
        headers: byKey(scene),
        body: `{"scope":${list(n, '"x"')}}`,
      }),
    status: [413, 422],
  },
  {
    name: 'a contract of many members, personal fields and validations that are none',
    at: 'auth',
    size: 3_000,
    send: byPost(
      '/v2/contracts',
      byKey,
      (n) => `{"pii_fields":${wide(n)},"validations":${list(n, '{"a":1}')},"schema":${wide(n)}}`,
    ),
    status: 422,
  },
  {
    name: 'a contract with a schema of many fields that are none',
    at: 'auth',
    size: 6_000,
    send: byPost(
      '/v2/contracts',
      byKey,
      (n) =>
        `{"schema":{"schema_type":"avro","definition":{"type":"record","name":"R","fields":${list(n, '{}')}}}}`,
    ),
    status: 422,
  },
  {
    name: 'an erasure of many values',
    at: 'auth',
    size: 10_000,
    send: (n, scene) =>
      requestBytes({
        path: `/v2/streams/${scene.stream}/erasures`,
        headers: byKey(scene),
        body: `{"keyFieldValues":${list(n, '1')}}`,
      }),
    status: [413, 422],
  },
  {
    name: 'JSON that is nested without end',
    at: 'auth',
    size: 8_000,
    send: byPost('/v2/contracts', byKey, (n) => '['.repeat(n) + ']'.repeat(n)),
    status: 400,
  },
]

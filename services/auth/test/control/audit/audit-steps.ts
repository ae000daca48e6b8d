// Every route that changes something, with a request and its audit entry. The order ensures that each request finds the
// objects that it needs.
import { expect } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { tenantsContract } from '@weir/testkit'
import { asPlatform, platformKey, secretsOf, send, textOf } from '../../support.ts'
import type { Account, Json, Reply } from '../../support.ts'

export type Step = {
  /** The route's name in the application, without the version. */
  readonly route: string
  readonly entry: (at: At) => { action: string; target: Json }
  readonly by?: 'platform'
  /** The action may already be in progress. Then the request changes nothing, and has no entry. */
  readonly mayBeUnderWay?: true
  readonly send: (at: At) => Promise<Reply>
}
/** The address and the caller of a step, and the names that it uses. */
export type At = {
  readonly auth: Service
  readonly account: Account
  readonly v: string
  stream: string
  contract: string
  clientId: string
  keyId: string
  other: string
}

const post = (path: (at: At) => string, body?: (at: At) => unknown) => (at: At) =>
  at.account.post(`/${at.v}${path(at)}`, body?.(at))

export const steps: readonly Step[] = [
  {
    route: 'POST /accounts',
    by: 'platform',
    entry: ({ other }) => ({ action: 'account.create', target: { account: other } }),
    send: ({ auth, v, other }) => asPlatform(auth, `/${v}/accounts`, { billingId: other }),
  },
  {
    route: 'POST /accounts/:billingId/keys',
    by: 'platform',
    entry: ({ other }) => ({ action: 'api-key.create', target: { account: other } }),
    send: ({ auth, v, other }) => asPlatform(auth, `/${v}/accounts/${other}/keys`),
  },
  {
    route: 'PUT /platform/accounts/:billingId/quotas',
    by: 'platform',
    entry: ({ other }) => ({
      action: 'account.quotas',
      target: { account: other, quotas: { streams: 7 } },
    }),
    send: ({ auth, v, other }) =>
      send(`${auth.url}/${v}/platform/accounts/${other}/quotas`, {
        method: 'PUT',
        bearer: platformKey,
        json: { streams: 7 },
      }),
  },
  {
    route: 'PUT /account/purposes',
    entry: () => ({ action: 'account.purposes', target: { after: { 2: 'marketing e-mails' } } }),
    send: ({ account, v }) =>
      account.put(`/${v}/account/purposes`, [
        { name: 'marketing', title: 'marketing e-mails', level: 2 },
      ]),
  },
  {
    route: 'POST /api-keys',
    entry: ({ keyId }) => ({
      action: 'api-key.create',
      target: { keyId, name: 'of the tests', role: 'officer' },
    }),
    async send(at) {
      const request = { name: 'of the tests', role: 'officer' }
      const reply = await at.account.post(`/${at.v}/api-keys`, request)
      at.keyId = textOf(reply.json, 'keyId')
      return reply
    },
  },
  {
    route: 'DELETE /api-keys/:keyId',
    entry: ({ keyId }) => ({ action: 'api-key.delete', target: { keyId } }),
    send: ({ account, v, keyId }) => account.delete(`/${v}/api-keys/${keyId}`),
  },
  {
    route: 'POST /keys/rotations',
    by: 'platform',
    mayBeUnderWay: true,
    entry: () => ({ action: 'keys.rotate', target: {} }),
    send: ({ auth, v }) => asPlatform(auth, `/${v}/keys/rotations`),
  },
  {
    route: 'POST /platform/signing-keys/rotate',
    by: 'platform',
    entry: () => ({ action: 'keys.signing.rotate', target: { kid: expect.any(String) } }),
    send: ({ auth, v }) => asPlatform(auth, `/${v}/platform/signing-keys/rotate`),
  },
  {
    route: 'POST /streams',
    entry: ({ stream }) => ({ action: 'stream.create', target: { stream } }),
    send: post(
      () => '/streams',
      ({ stream: name }) => ({ name }),
    ),
  },
  {
    route: 'PATCH /streams/:stream',
    entry: ({ stream }) => ({
      action: 'stream.change',
      target: {
        stream,
        changed: ['enabled', 'tags', 'retentionHours', 'limits', 'keyRetentionDays'],
        before: { eventCount: '1000000000', retentionHours: 'broker', keyRetentionDays: 365 },
        after: { eventCount: '7', retentionHours: 48, keyRetentionDays: 30 },
      },
    }),
    send: ({ account, v, stream }) =>
      account.patch(`/${v}/streams/${stream}`, {
        enabled: true,
        tags: ['not in the log'],
        limits: { eventCount: '7' },
        retentionHours: 48,
        keyRetentionDays: 30,
      }),
  },
  ...['', '/outputs/:output'].flatMap((owner): Step[] => {
    const path = ({ stream }: At) =>
      `/streams/${stream}${owner.replace(':output', `${stream}-1`)}/credentials`
    const target = ({ stream }: At) =>
      owner === '' ? { stream } : { stream, output: `${stream}-1` }
    return [
      ...(owner === '' ? [] : outputSteps()),
      {
        route: `POST /streams/:stream${owner}/credentials`,
        entry: (at) => ({
          action: 'credentials.create',
          target: {
            ...target(at),
            clientId: at.clientId,
            scope: owner === '' ? ['send', 'listen'] : ['listen'],
          },
        }),
        async send(at) {
          const reply = await at.account.post(`/${at.v}${path(at)}`)
          at.clientId = secretsOf(reply).clientId
          return reply
        },
      },
      {
        route: `DELETE /streams/:stream${owner}/credentials/:clientId`,
        entry: (at) => ({
          action: 'credentials.delete',
          target: { ...target(at), clientId: at.clientId },
        }),
        send: (at) => at.account.delete(`/${at.v}${path(at)}/${at.clientId}`),
      },
    ]
  }),
  {
    route: 'POST /streams/:stream/outputs/:output/rebuild',
    entry: ({ stream }) => ({
      action: 'output.rebuild',
      target: { stream, output: `${stream}-1` },
    }),
    send: post(({ stream }) => `/streams/${stream}/outputs/${stream}-1/rebuild`),
  },
  {
    route: 'DELETE /streams/:stream/outputs/:output',
    entry: ({ stream }) => ({
      action: 'output.delete',
      target: { stream, output: `${stream}-1` },
    }),
    send: ({ account, v, stream }) => account.delete(`/${v}/streams/${stream}/outputs/${stream}-1`),
  },
  {
    route: 'POST /contracts',
    entry: ({ contract }) => ({ action: 'contract.create', target: { contract } }),
    async send({ account, v, contract }) {
      const subject = `${account.billingId.replaceAll('-', '_')}-${contract}`
      const ours = await tenantsContract({ contract, subject })
      // Later steps that search for a data subject need this contract.
      return account.post(`/${v}/contracts`, { ...ours, data_subject_field: 'customer/id' })
    },
  },
  {
    route: 'POST /contracts/:contract/archive',
    entry: ({ contract }) => ({ action: 'contract.archive', target: { contract } }),
    send: post(({ contract }) => `/contracts/${contract}/archive`),
  },
  {
    route: 'POST /streams/:stream/erasures',
    entry: ({ stream }) => ({
      action: 'erasure.create',
      target: { stream, count: 1, erasure: expect.any(String), levels: [2] },
    }),
    send: post(
      ({ stream }) => `/streams/${stream}/erasures`,
      () => ({ keyFieldValue: 'not in the log', levels: [2], evenIfNoneFound: true }),
    ),
  },
  {
    route: 'PATCH /streams/:stream/erasures/:erasure',
    entry: ({ stream }) => ({
      action: 'erasure.change',
      target: {
        stream,
        erasure: expect.any(String),
        before: { dueOn: 'none' },
        after: { dueOn: '2026-12-24' },
      },
    }),
    async send({ account, v, stream }) {
      const path = `/${v}/streams/${stream}/erasures`
      const [erasure] = (await account.get(path)).list
      return account.patch(`${path}/${textOf(erasure ?? {}, 'id')}`, { dueOn: '2026-12-24' })
    },
  },
  {
    route: 'POST /streams/:stream/subjects/lookup',
    entry: ({ stream }) => ({ action: 'subject.lookup', target: { stream } }),
    send: post(
      ({ stream }) => `/streams/${stream}/subjects/lookup`,
      () => ({ subject: 'not in the log' }),
    ),
  },
  {
    route: 'POST /streams/:stream/subject-access',
    entry: ({ stream }) => ({ action: 'subject.access', target: { stream } }),
    send: post(
      ({ stream }) => `/streams/${stream}/subject-access`,
      () => ({ keyFieldValue: 'not in the log' }),
    ),
  },
  {
    route: 'POST /people/search',
    entry: ({ stream }) => ({
      action: 'people.search',
      target: { streams: [stream], search: expect.any(String) },
    }),
    send: post(
      () => '/people/search',
      ({ stream }) => ({ value: 'not in the log', streams: [stream] }),
    ),
  },
  {
    route: 'DELETE /streams/:stream',
    entry: ({ stream }) => ({ action: 'stream.delete', target: { stream } }),
    send: ({ account, v, stream }) => account.delete(`/${v}/streams/${stream}?recursive=true`),
  },
  {
    route: 'DELETE /accounts/:billingId',
    by: 'platform',
    entry: ({ other }) => ({ action: 'account.delete', target: { account: other } }),
    send: ({ auth, v, other }) =>
      send(`${auth.url}/${v}/accounts/${other}`, { method: 'DELETE', bearer: platformKey }),
  },
]

function outputSteps(): Step[] {
  return [
    {
      route: 'POST /streams/:stream/outputs',
      entry: ({ stream }) => ({
        action: 'output.create',
        target: {
          stream,
          output: `${stream}-1`,
          levels: [1],
          consentLevelType: 'CUMULATIVE',
          from: 'now',
        },
      }),
      send: post(
        ({ stream }) => `/streams/${stream}/outputs`,
        ({ stream }) => ({
          name: `${stream}-1`,
          consentLevels: [1],
          consentLevelType: 'CUMULATIVE',
        }),
      ),
    },
    {
      route: 'PATCH /streams/:stream/outputs/:output',
      entry: ({ stream }) => ({
        action: 'output.change',
        target: {
          stream,
          output: `${stream}-1`,
          changed: ['enabled'],
          before: { enabled: true },
          after: { enabled: false },
        },
      }),
      send: ({ account, v, stream }) =>
        account.patch(`/${v}/streams/${stream}/outputs/${stream}-1`, { enabled: false }),
    },
  ]
}
